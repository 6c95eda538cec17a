package import ArgumentParser
import IDCardCore
import IDCardEmbedded
import Logging
import ServiceLifecycle

/// `verifier`: the built-in verification endpoint alone.
package struct VerifierCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "verifier",
        abstract: "Serve the built-in FaceID-v1-compatible verification endpoint, which reads cards with tesseract.",
        discussion: """
            Answers POST /faceid/v1/ocridcard. For trying things out: it is no judge of genuine cards. Ends on SIGINT or SIGTERM.
            """
    )

    @OptionGroup var listening: ListeningOptions

    @Option(name: .long, help: ArgumentHelp("The only API key accepted.", valueName: "key"))
    var apiKey = "embedded-key"

    @Option(name: .long, help: ArgumentHelp("The secret that goes with it.", valueName: "secret"))
    var apiSecret = "embedded-secret"

    /// Takes what the command line says.
    package init() {}

    package func run() async throws {
        var configuration = EmbeddedVerifier.Configuration(secrets: [self.apiKey: self.apiSecret])
        configuration.host = self.listening.host
        configuration.port = self.listening.port
        let host = self.listening.host
        let verifier = EmbeddedVerifier(
            configuration: configuration,
            logger: self.listening.logger,
            onRunning: { port in Console.standardOutput("http://\(host):\(port)/faceid/v1/ocridcard") }
        )
        try await EndpointProcess(service: verifier, logger: self.listening.logger).run()
    }
}
