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

/// Reads the path of an option. An unset variable (`--output "$DIR"`) gives an empty one, which must not mean the root
/// or the working directory.
@Sendable func path(_ text: String) throws -> String {
    guard !text.isEmpty else { throw ValidationError(.optionsPathEmpty) }
    return text
}

extension Option<String?> {
    /// Declares an option with a path.
    init(path help: ArgumentHelp, completion: CompletionKind = .file()) {
        self.init(help: help, completion: completion, transform: path)
    }
}

/// Reads an option whose value is one of several words.
@Sendable func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(_ text: String) throws -> Word {
    if let word = Word(rawValue: text) { return word }
    throw ValidationError(.optionsWord(Word.allCases.map(\.rawValue)))
}

extension ValidationError {
    init(_ message: Message) { self.init(message.text()) }
}

extension CodedError {
    /// Wraps the error of a built-in endpoint that cannot serve.
    init(_ error: EmbeddedError) {
        let message = error.code == .folderInUse ? Message.embeddedInUse : .textVerbatim(error.message)
        self.init(.embeddedUnavailable, .configuration, message)
    }
}

/// The address of a built-in endpoint: only on loopback, since it has neither TLS nor real accounts.
struct ListeningOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The port to listen on; 0 for a free one.", valueName: "port"))
    var port = 0

    @Option(
        help: ArgumentHelp("The lowest log level that is logged: trace, debug, info, … critical.", valueName: "level"),
        transform: word
    )
    var logLevel = Logger.Level.warning

    static let host = "127.0.0.1"

    func validate() throws {
        guard (0...65_535).contains(self.port) else { throw ValidationError(.optionsPort(self.port)) }
    }

    var logger: Logger {
        Logger(label: "idcard-pipeline") { _ in ConsoleLogHandler(logLevel: self.logLevel, format: .text) }
    }

    /// Prints the address of an endpoint that listens.
    static func announce(_ port: Int, _ path: String) async {
        await Console.standardOutput("http://\(Self.host):\(port)\(path)")
    }

    func serve(_ endpoint: any Service) async throws -> CommandStatus {
        let signals: [UnixSignal] = [.sigint, .sigterm]
        let group = ServiceGroup(services: [endpoint], gracefulShutdownSignals: signals, logger: self.logger)
        do { try await group.run() } catch let error as EmbeddedError { throw CodedError(error) }
        return .delivered
    }
}
