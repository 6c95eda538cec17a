package import ArgumentParser
import IDCardCore
import IDCardPipeline
import IDCardSandbox

/// `status`: how many cards stand where, and which stages are stopped.
package struct StatusCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show how many cards stand in which state, which stages are stopped, and which endpoints fail."
    )

    @Option(name: .long, help: "The form of the report.")
    var format = ConfigCommand.ReportFormat.text

    @OptionGroup var options: GlobalOptions

    /// Takes what the command line says.
    package init() {}

    package func run() async throws {
        try await SandboxReading(options: self.options).with { store, configuration in
            let report = SandboxStatus(
                counts: try await store.stateCounts(),
                pauses: try await store.pauses(),
                standings: try await store.standings(),
                endpoints: configuration.endpoints,
                readiness: try await store.readiness()
            )
            switch self.format {
            case .text: for line in report.lines { Console.standardOutput(line) }
            case .json: Console.standardOutput(JSONText.document(report))
            }
            return .delivered
        }
    }
}
