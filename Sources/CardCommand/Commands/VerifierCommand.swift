package import ArgumentParser
import CardEmbedded
import CardModel
import Logging
import ServiceLifecycle

/// `verifier`: the built-in verification endpoint alone.
package struct VerifierCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "verifier",
        abstract: "Serve the built-in verification endpoint, which reads cards with tesseract.",
        discussion: """
            Speaks FaceID v1 (/faceid/v1/ocridcard), Face++ (/cardpp/v1/ocridcard) and FaceID v3 (/faceid/v3/ocridcard), each at \
            its path, with api_key and api_secret or with sign. Prints its URL, and ends on SIGINT or SIGTERM. It is for trying \
            things out: it cannot tell a genuine card from a forged one.
            """
    )

    @OptionGroup var listening: ListeningOptions

    @Option(name: .long, help: ArgumentHelp("The only API key accepted.", valueName: "key"))
    var apiKey = "embedded-key"

    @Option(name: .long, help: ArgumentHelp("The secret that goes with it.", valueName: "secret"))
    var apiSecret = "embedded-secret"

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The dialect whose URL is printed: faceid-v1, facepp-v1 or faceid-v3; all are served.",
            valueName: "dialect"
        ),
        transform: word(of: "--dialect")
    )
    var dialect = EmbeddedVerifier.Dialect.faceIDv1

    /// Takes what the command line says.
    package init() {}

    package func run() async throws {
        var configuration = EmbeddedVerifier.Configuration(secrets: [self.apiKey: self.apiSecret])
        configuration.host = self.listening.host
        configuration.port = self.listening.port
        let host = self.listening.host
        let path = self.dialect.path
        let verifier = EmbeddedVerifier(
            configuration: configuration,
            logger: self.listening.logger,
            onRunning: { port in await Console.standardOutput("http://\(host):\(port)\(path)") }
        )
        try await EndpointProcess(service: verifier, logger: self.listening.logger).run()
    }
}
