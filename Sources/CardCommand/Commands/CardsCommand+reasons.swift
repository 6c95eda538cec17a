import ArgumentParser
import CardModel

extension CardsCommand {
    struct Reasons: Command {
        enum Format: String, CaseIterable, ExpressibleByArgument {
            case text, json, markdown
        }

        static let configuration = CommandConfiguration(
            abstract: "Say what the reasons of cards and refusals mean, and what to do.",
            discussion: "Exit status: 0 done · 66 a code is none of ours: it may be the remote service's own."
        )

        @Argument(help: ArgumentHelp("The codes; without one, all.", valueName: "code"))
        var codes: [String] = []

        @Option(help: "Format of the list; markdown is that of the manual page.")
        var format = Format.text

        func execute() async throws -> CommandStatus {
            if self.format == .markdown {
                await Console.standardOutput(Self.page())
                return .delivered
            }
            let known = ReasonCode.all.filter { self.codes.isEmpty || self.codes.contains($0.code.rawValue) }
            let lines = known.map { Meaning(reason: $0.code.rawValue, meaning: $0.meaning.text()) }
            await OutputFormat(rawValue: self.format.rawValue)?.print(lines, as: "reasons")
            let unknown = Set(self.codes).subtracting(known.map(\.code.rawValue)).sorted()
            guard let first = unknown.first else { return .delivered }
            throw CodedError(.notFound, .notFound, .cardsUnknownReason(Redacted(first)))
        }

        /// The page of all reasons, in Markdown.
        private static func page() -> String {
            var lines = [
                "# Reasons", "", "<!-- Made by `idcard-pipeline cards reasons --format markdown`; do not edit it. -->",
                "",
                "Why a card stands where it does, or why an input became no card. Where a remote service decided, its own code is",
                "shown in place of one of these. `idcard-pipeline cards reasons CODE` says the same.",
            ]
            for (title, reasons) in ReasonCode.groups {
                lines += ["", "## \(title)", "", "| reason | meaning |", "|---|---|"]
                lines += reasons.map { "| `\($0.code)` | \($0.meaning.text()) |" }
            }
            return lines.joined(separator: "\n")
        }
    }
}

private struct Meaning: ReportLine {
    let reason: String
    let meaning: String

    var text: String { "\(self.reason.padded(to: 24))  \(self.meaning)" }
}
