package import ArgumentParser
import CardModel

/// `serve`: takes cards in over HTTP and drives them, until it is asked to end.
package struct ServeCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Take cards in over HTTP: uploads, webhooks, runs on demand; with watched folders beside it.",
        discussion: """
            Listens on server.listen, by default 127.0.0.1:8080. Every request needs a token (tokens add) or a webhook's \
            signature. Other machines are served only over TLS (server.tls.certificate, server.tls.key). The folders of \
            watch.folders are watched as by watch.

            GET /openapi.json describes the API. SIGHUP reads certificate, tokens and webhook secrets anew; SIGTERM and SIGINT \
            end it in order: nothing more is taken in, what is under way may finish for run.shutdown_timeout.

            Exit status: 64 usage · 66 a watched folder cannot be read · 74 sandbox or disk error · 78 configuration, or the \
            port is in use · 130/143 ended by a signal, all durable.
            """
    )

    @Option(name: .long, help: ArgumentHelp("Address and port to listen on (server.listen).", valueName: "host:port"))
    var listen: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --embedded: where the built-in backend keeps documents and ledger.",
            discussion: "By default the folder embedded-documents in the sandbox.",
            valueName: "dir"
        ),
        completion: .directory
    )
    var documents: String?

    @Flag(name: [.long, .short], help: "Nothing on standard error but the log and warnings.")
    var quiet = false

    @OptionGroup var options: GlobalOptions

    /// Takes what the command line says.
    package init() {}

    package func validate() throws {
        guard self.documents == nil || self.options.embedded else {
            throw ValidationError("--documents goes with --embedded: only the built-in backend keeps documents here.")
        }
    }

    package func run() async throws {
        try await CommandRunner.run {
            let settings = self.listen.map { ["server.listen": $0] } ?? [:]
            let configuration = try self.options.load(requiringRemotes: true, settings).configuration
            for notice in configuration.notices { Console.standardError("warning: \(notice.text())") }
            return try await ServeSession(
                configuration: configuration,
                documents: self.documents,
                isQuiet: self.quiet
            ).run()
        }
    }
}
