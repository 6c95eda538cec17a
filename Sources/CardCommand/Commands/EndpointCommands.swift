import ArgumentParser
import CardEmbedded
import CardModel
import Logging
import ServiceLifecycle
import UnixSignals

struct VerifierCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "verifier",
        abstract: "Serve the built-in verification endpoint, which reads cards with tesseract.",
        discussion: """
            Serves FaceID v1 (/faceid/v1/ocridcard), Face++ (/cardpp/v1/ocridcard) and FaceID v3 (/faceid/v3/ocridcard), with \
            api_key and api_secret or with sign. Prints its URL, and ends on SIGINT or SIGTERM. Use it only for trials: it cannot \
            tell a genuine card from a forged one.
            """
    )

    @OptionGroup var listening: ListeningOptions

    @Option(help: ArgumentHelp("The only API key accepted.", valueName: "key"))
    var apiKey = "embedded-key"

    @Option(help: ArgumentHelp("The secret of the API key.", valueName: "secret"))
    var apiSecret = "embedded-secret"

    @Option(
        help: ArgumentHelp(
            "The dialect whose URL is printed: faceid-v1, facepp-v1 or faceid-v3. All of them are served.",
            valueName: "dialect"
        ),
        transform: word
    )
    var dialect = EmbeddedVerifier.Dialect.faceIDv1

    func execute() async throws -> CommandStatus {
        var configuration = EmbeddedVerifier.Configuration(secrets: [self.apiKey: self.apiSecret])
        configuration.port = self.listening.port
        let path = self.dialect.path
        let verifier = EmbeddedVerifier(
            configuration: configuration,
            logger: self.listening.logger,
            onRunning: { await ListeningOptions.announce($0, path) }
        )
        return try await self.listening.serve(verifier)
    }
}

struct BackendCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "backend",
        abstract: "Serve the built-in business backend, which stores accepted documents and a ledger in a folder.",
        discussion: """
            Answers POST /upload. It accepts forms of the layouts single, application and batch, and single images with their \
            fields in headers. Prints its URL, and ends on SIGINT or SIGTERM. Use it only for trials and tests.
            """
    )

    @OptionGroup var listening: ListeningOptions

    @Option(
        help: ArgumentHelp("The folder for documents and ledger.", valueName: "dir"),
        completion: .directory,
        transform: path
    )
    var documents: String

    @Option(help: ArgumentHelp("A TOKEN to accept; repeatable. Without it any TOKEN is accepted.", valueName: "token"))
    var token: [String] = []

    @Option(help: ArgumentHelp("Require a new TOKEN once, after this many documents.", valueName: "n"))
    var expireTokenAfter: Int?

    func execute() async throws -> CommandStatus {
        var configuration = EmbeddedBackend.Configuration(folder: self.documents)
        configuration.port = self.listening.port
        configuration.tokens = self.token
        configuration.requiresNewTokenAfter = self.expireTokenAfter
        let backend = EmbeddedBackend(
            configuration: configuration,
            logger: self.listening.logger,
            onRunning: { await ListeningOptions.announce($0, "/upload") }
        )
        return try await self.listening.serve(backend)
    }
}

extension CodedError {
    /// Wraps the error of a built-in endpoint that cannot serve.
    init(_ error: EmbeddedError) {
        let message = error.code == .folderInUse ? Message.embeddedInUse : .textVerbatim(error.message)
        self.init(.embeddedUnavailable, .configuration, message)
    }
}
