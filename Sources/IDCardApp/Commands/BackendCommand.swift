package import ArgumentParser
import IDCardCore
import IDCardEmbedded
import Logging
import ServiceLifecycle

/// `backend`: the built-in business backend alone.
package struct BackendCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "backend",
        abstract: "Serve the built-in business backend, which stores what it accepts in a folder with a ledger.",
        discussion: """
            Answers POST /upload. For trying things out and for tests. Ends on SIGINT or SIGTERM.
            """
    )

    @OptionGroup var listening: ListeningOptions

    @Option(
        name: .long,
        help: ArgumentHelp("Where documents and ledger are kept.", valueName: "dir"),
        completion: .directory
    )
    var documents: String

    @Option(
        name: .long,
        help: ArgumentHelp("A TOKEN to accept; may be given several times; without it any.", valueName: "token")
    )
    var token: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp("Ask for a new TOKEN after so many documents, once.", valueName: "n")
    )
    var expireTokenAfter: Int?

    /// Takes what the command line says.
    package init() {}

    package func run() async throws {
        var configuration = EmbeddedBackend.Configuration(folder: self.documents)
        configuration.host = self.listening.host
        configuration.port = self.listening.port
        configuration.tokens = self.token
        configuration.requiresNewTokenAfter = self.expireTokenAfter
        let host = self.listening.host
        let backend = EmbeddedBackend(
            configuration: configuration,
            logger: self.listening.logger,
            onRunning: { port in Console.standardOutput("http://\(host):\(port)/upload") }
        )
        try await EndpointProcess(service: backend, logger: self.listening.logger).run()
    }
}
