package import ArgumentParser
import Foundation
import IDCardCore
import IDCardPipeline
import IDCardSandbox

extension CardsCommand {
    /// Shows one card with its history.
    package struct Show: AsyncParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show one card and its history; fields read from it, and remote words, only with --reveal."
        )

        @Argument(help: ArgumentHelp("The card's id.", valueName: "card-id"))
        var card: String

        @Flag(name: .long, help: "Show the personal fields and the message too.")
        var reveal = false

        @OptionGroup var purpose: PurposeOptions

        @Option(name: .long, help: "The form of the report.")
        var format = ConfigCommand.ReportFormat.text

        @OptionGroup var options: GlobalOptions

        /// Takes what the command line says.
        package init() {}

        package func run() async throws {
            // What is revealed is written down first; if it cannot be, nothing is revealed.
            try await SandboxReading(options: self.options, isReadOnly: !self.reveal).with { store in
                let id = try await CardSelection.one(CardID(rawValue: self.card), in: store)
                if self.reveal {
                    let origin = self.purpose.origin(of: "cards show")
                    try await store.record(.show, of: id, by: origin, now: Timestamp(Date()))
                }
                guard let details = try await store.details(of: id) else { throw CardCommandError.unknown([id]) }
                let report = CardReport(details, reveal: self.reveal)
                switch self.format {
                case .text: for line in report.lines { Console.standardOutput(line) }
                case .json: Console.standardOutput(JSONText.document(report))
                }
                return .delivered
            }
        }
    }
}
