package import ArgumentParser
import Foundation
import IDCardCore
import IDCardPipeline
import IDCardSandbox

extension CardsCommand {
    /// Shows the access log.
    package struct Log: AsyncParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "log",
            abstract: "Show the access log: who touched the personal data of which card, when and why.",
            discussion: "The log holds no personal data. `fsck` says whether it is whole."
        )

        @Option(name: .long, help: ArgumentHelp("Only lines about this card.", valueName: "card-id"))
        var card: String?

        @Option(name: .long, help: ArgumentHelp("Only lines after this number.", valueName: "number"))
        var after: Int64 = 0

        @Option(name: .long, parsing: .unconditional, help: ArgumentHelp("At most so many; 0 for all.", valueName: "n"))
        var limit = 0

        @Option(name: .long, help: "The form of the list.")
        var format = OutputFormat.text

        @OptionGroup var options: GlobalOptions

        /// Takes what the command line says.
        package init() {}

        package func validate() throws {
            guard self.limit >= 0 else { throw ValidationError("--limit is a number from 0, got \(self.limit).") }
        }

        package func run() async throws {
            try await SandboxReading(options: self.options).with { store in
                let lines = try await self.lines(in: store).map(AccessLogLine.init)
                switch self.format {
                case .text: for line in lines { Console.standardOutput(line.text) }
                case .json: Console.standardOutput(JSONText.document(["lines": lines]))
                case .jsonl: for line in lines { Console.standardOutput(JSONText.line(line)) }
                }
                return .delivered
            }
        }

        private func lines(in store: SandboxStore) async throws -> [AccessLine] {
            let pageSize = 1000
            var lines: [AccessLine] = []
            while self.limit == 0 || lines.count < self.limit {
                let size = self.limit == 0 ? pageSize : min(pageSize, self.limit - lines.count)
                let page = try await store.accessLog(
                    of: self.card.map(CardID.init),
                    after: lines.last?.number ?? self.after,
                    limit: size
                )
                lines += page
                if page.count < size { break }
            }
            return lines
        }
    }
}
