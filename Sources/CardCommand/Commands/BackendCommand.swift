package import ArgumentParser
import CardEmbedded
import CardModel
import Logging
import ServiceLifecycle

/// `backend`: the built-in business backend alone.
package struct BackendCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "backend",
        abstract: "Serve the built-in business backend, which stores what it accepts in a folder with a ledger.",
        discussion: """
            Answers POST /upload: forms of the layouts single, application and batch, and images alone with the texts in \
            headers. Prints its URL, and ends on SIGINT or SIGTERM. It is for trying things out and for tests.
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

    @Option(
        name: .long,
        help: ArgumentHelp("What replies are written in: json or xml.", valueName: "format"),
        transform: word(of: "--reply-format")
    )
    var replyFormat = EmbeddedBackend.ReplyFormat.json

    @Option(
        name: .long,
        help: ArgumentHelp("Hide replies in Base64 3DES: 3des-cbc or 3des-ecb.", valueName: "mode"),
        transform: word(of: "--reply-encryption")
    )
    var replyEncryption: EmbeddedBackend.ReplyEncryption.Mode?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The key of the replies, 16 or 24 characters: for trying out, other users see it in the list of processes.",
            valueName: "key"
        )
    )
    var replyKey: String?

    @Option(name: .long, help: ArgumentHelp("The start vector of 3des-cbc, 8 characters.", valueName: "iv"))
    var replyIv = "01234567"

    /// Takes what the command line says.
    package init() {}

    package func validate() throws {
        guard (self.replyEncryption == nil) == (self.replyKey == nil) else {
            throw ValidationError("--reply-encryption and --reply-key come together.")
        }
    }

    package func run() async throws {
        var configuration = EmbeddedBackend.Configuration(folder: self.documents)
        configuration.host = self.listening.host
        configuration.port = self.listening.port
        configuration.tokens = self.token
        configuration.requiresNewTokenAfter = self.expireTokenAfter
        configuration.replyFormat = self.replyFormat
        if let mode = self.replyEncryption, let key = self.replyKey {
            configuration.replyEncryption = EmbeddedBackend.ReplyEncryption(mode, key: key, startVector: self.replyIv)
        }
        let host = self.listening.host
        let backend = EmbeddedBackend(
            configuration: configuration,
            logger: self.listening.logger,
            onRunning: { port in await Console.standardOutput("http://\(host):\(port)/upload") }
        )
        try await EndpointProcess(service: backend, logger: self.listening.logger).run()
    }
}
