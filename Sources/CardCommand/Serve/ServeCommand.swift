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

            GET /openapi.json describes the API. SIGHUP rereads certificate, tokens and webhook secrets; SIGTERM and SIGINT \
            end it in order: nothing more is taken in, what is under way may finish for run.shutdown_timeout.

            Exit status: 64 usage · 66 a watched folder cannot be read · 74 sandbox or disk error · 78 configuration, or the \
            port is in use · 130/143 ended by a signal, all durable.
            """
    )

    @Option(name: .long, help: ArgumentHelp("Address and port to listen on (server.listen).", valueName: "host:port"))
    var listen: String?

    @Flag(name: [.long, .short], help: "Nothing on standard error but the log and warnings.")
    var quiet = false

    @OptionGroup var options: PipelineOptions

    /// Takes what the command line says.
    package init() {}

    package func run() async throws {
        try await CommandRunner.run {
            let settings = self.listen.map { ["server.listen": $0] } ?? [:]
            let configuration = try self.options.loadConfiguration(requiringRemotes: true, settings)
            return try await ServeSession(configuration: configuration, isQuiet: self.quiet).run()
        }
    }
}
