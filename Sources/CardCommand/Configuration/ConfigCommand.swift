import ArgumentParser
import CardInput
import CardModel
import CardRemote
import CardServer
import CardStore

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check the configuration, show it with secrets masked, or print a file to start from.",
        subcommands: [Check.self, Show.self, Sample.self, Page.self]
    )

    struct Check: Command {
        static let configuration = CommandConfiguration(
            abstract: "Check the configuration as run and serve would use it.",
            discussion: """
                Ends with 78 if anything is wrong. Makes no call, unless --online: then it connects to each endpoint as run \
                would (proxy, certificates), and asks for HEAD of its URL without the query. It sends no TOKEN, key or form. Ends with 69 if an \
                endpoint cannot be reached.
                """
        )

        @Flag(help: "If the configuration is usable, also connect to each endpoint.")
        var online = false

        @OptionGroup var options: GlobalOptions

        @Option(help: "How to write the report.")
        var format = ReportFormat.text

        func execute() async throws -> CommandStatus {
            let report = try await CheckedConfiguration(isOnline: self.online) {
                try self.options.load(requiringRemotes: true)
            }
            await report.print(self.format)
            guard report.ok else { return .configuration }
            return report.isReachable ? .delivered : .endpointStopped
        }
    }

    struct Show: Command {
        static let configuration = CommandConfiguration(
            abstract: "Show every key with its effective value and its source.",
            discussion: "Secrets are shown as <set> or <unset>. Ends with 78 if a value cannot be used."
        )

        @OptionGroup var options: GlobalOptions

        @Option(help: "How to write the list.")
        var format = ReportFormat.text

        func execute() async throws -> CommandStatus {
            await ObjectReport(showing: try self.options.load()).print(self.format)
            return .delivered
        }
    }

    struct Sample: Command {
        static let configuration = CommandConfiguration(
            abstract: "Print a configuration file to start from, with every key and its default commented out.",
            discussion: """
                idcard-pipeline reads it from ~/.config/idcard-pipeline/idcard-pipeline.yaml; with secrets it needs mode 0600:

                  mkdir -p ~/.config/idcard-pipeline && cd ~/.config/idcard-pipeline
                  (umask 077; idcard-pipeline config sample > idcard-pipeline.yaml)
                """
        )

        func execute() async throws -> CommandStatus {
            await Console.standardOutput(ConfigurationReference.sample())
            return .delivered
        }
    }

    struct Page: Command {
        static let configuration = CommandConfiguration(
            commandName: "reference",
            abstract: "Print the page of all keys in Markdown: values, defaults and meanings."
        )

        func execute() async throws -> CommandStatus {
            await Console.standardOutput(ConfigurationReference.page())
            return .delivered
        }
    }
}

/// What `config check` reports: `ok`, `file`, `errors` (`code`, `key`, `line`, `message`), `notices`, and with `--online` the
/// `endpoints` (`section`, `endpoint`, `reachable`, `steps`: `step`, `ok`, `message`).
struct CheckedConfiguration: Report {
    private typealias Probed = (section: String, probe: EndpointProbe)

    private var file: String?
    private var mistakes: [ConfigurationError.Mistake]
    private var notices: [Message] = []
    private var endpoints: [Probed]?

    /// Whether the configuration is usable.
    var ok: Bool { self.mistakes.isEmpty }

    /// Whether every probed endpoint answered.
    var isReachable: Bool { (self.endpoints ?? []).allSatisfy(\.probe.isReachable) }

    /// Collects the mistakes of loading, else those of certificates, addresses, tokens and folders; online, probes the endpoints.
    init(isOnline: Bool = false, _ load: () throws -> LoadedConfiguration) async throws {
        do {
            let loaded = try load()
            let configuration = loaded.configuration
            self.file = loaded.file
            self.mistakes = await Self.refusals(of: configuration).map { mistake in
                .init(key: mistake.key, line: mistake.key.flatMap { loaded.sources[$0]?.line }, error: mistake.error)
            }
            if isOnline, self.mistakes.isEmpty { self.endpoints = try await Self.probes(of: configuration) }
            let doubts = [configuration.sandboxDoubt, configuration.isolationDoubt].compactMap(\.self)
            self.notices = configuration.notices + configuration.runNotices + doubts
        } catch let error as ConfigurationError {
            self.mistakes = error.mistakes
        }
    }

    func encode(to encoder: any Encoder) throws {
        let errors = self.mistakes.map { mistake -> JSONObject in
            let (code, message) = (mistake.error.code.rawValue, mistake.error.message.text())
            return ["code": code, "key": mistake.key, "line": mistake.line, "message": message]
        }
        let endpoints = self.endpoints?.map { section, probe -> JSONObject in
            let steps = probe.outcomes.map { outcome -> JSONObject in
                ["step": outcome.step, "ok": outcome.isOK, "message": outcome.message.text()]
            }
            return ["section": section, "endpoint": probe.endpoint, "reachable": probe.isReachable, "steps": steps]
        }
        let object: JSONObject = [
            "ok": self.ok, "file": self.file, "errors": errors, "notices": self.notices.map { $0.text() },
            "endpoints": endpoints,
        ]
        try object.encode(to: encoder)
    }

    private static func probes(of configuration: Configuration) async throws(CodedError) -> [Probed] {
        var endpoints: [Probed] = []
        if let settings = configuration.verification {
            let service = try VerificationService(settings)
            endpoints.append(("verification", await service.probe()))
            await service.shutdown()
        }
        if let settings = configuration.delivery {
            let backend = try BusinessBackend(settings)
            endpoints.append(("delivery", await backend.probe()))
            await backend.shutdown()
        }
        return endpoints
    }

    /// The mistakes that the clients of the endpoints find, and those that `serve` finds.
    private static func refusals(of configuration: Configuration) async -> [ConfigurationError.Mistake] {
        var mistakes: [ConfigurationError.Mistake] = []
        await mistakes.attempt("verification") {
            if let settings = configuration.verification { try await VerificationService(settings).shutdown() }
        }
        await mistakes.attempt("delivery") {
            if let settings = configuration.delivery { try await BusinessBackend(settings).shutdown() }
        }
        await mistakes.attempt("imaging.isolation") { try configuration.requireIsolation() }
        mistakes += await Self.refusalsOfSandbox(configuration)
        let (server, unusable) = await configuration.serving()
        mistakes += unusable
        await mistakes.attempt("server.tokens_file") {
            // `serve` refuses a token with the name of a webhook sender, and works with the others. `serving` reports an
            // unreadable file.
            guard let file = configuration.server.tokensFile.map(TokensFile.init), let tokens = try? file.read(),
                let name = tokens.apart(from: server.webhookSecrets).namedLikeSenders.first
            else { return }
            throw AccessToken.invalid(file.refusal(of: name))
        }
        if !configuration.watch.folders.isEmpty {
            await mistakes.attempt("watch.folders") { _ = try configuration.watchOptions() }
        }
        return mistakes
    }

    /// The mistakes that prevent opening or creating the sandbox.
    private static func refusalsOfSandbox(_ configuration: Configuration) async -> [ConfigurationError.Mistake] {
        var mistakes: [ConfigurationError.Mistake] = []
        await mistakes.attempt("sandbox.path") { try Sandbox.requirePlace(at: configuration.sandboxPath) }
        // `config check` runs no command, so without the key it cannot open the sandbox.
        guard configuration.vault.keyCommand == nil else { return mistakes }
        let isThere = Sandbox.isSandbox(at: configuration.sandboxPath)
        if !configuration.isEmbedded || isThere {
            await mistakes.attempt(configuration.vault.key == nil ? "vault.key_file" : "vault.key") {
                _ = try await configuration.vaultKeys(creating: false)
            }
        }
        guard mistakes.isEmpty else { return mistakes }
        await mistakes.attempt("sandbox.path") {
            if isThere {
                try await configuration.openStore(creating: false).close()
            } else {
                try configuration.requireUnusedKey()
            }
        }
        return mistakes
    }

    var lines: [Message] {
        let problems =
            self.mistakes.map { Message.consoleError($0.error.message) } + self.notices.map(Message.consoleNote)
        let steps = (self.endpoints ?? []).flatMap { section, probe in
            probe.outcomes.map { outcome in
                let step = "\(section) (\(probe.endpoint)), \(outcome.step.rawValue)"
                let line = Message.textLabelled(step, outcome.message)
                return outcome.isOK ? line : .consoleError(line)
            }
        }
        return problems + steps + [self.verdict]
    }

    private var verdict: Message {
        guard self.ok else { return .configNotUsable(self.mistakes.count) }
        return self.file.map { Message.configUsable($0) } ?? .configUsableNoFile
    }
}

extension ObjectReport {
    /// What `config show` reports: `file`, `embedded`, `settings` (`key`, `value`, `source`, `secret`, `environment`).
    init(showing loaded: LoadedConfiguration) {
        let settings = ConfigurationKey.all.map { key in
            let source =
                switch loaded.sources[key.name] {
                case nil: "default"
                case .file(let line): "file, line \(line)"
                case .variable(let name): name
                case .option: "command line"
                }
            return (key: key, value: key.show(loaded.configuration), source: source)
        }
        let objects = settings.map { key, value, source -> JSONObject in
            ["key": key.name, "value": value, "source": source, "secret": key.isSecret, "environment": key.variable]
        }
        let keyWidth = settings.map(\.key.name.count).max() ?? 0
        // A very long value shifts only its own line.
        let valueWidth = min(40, settings.map(\.value.text.count).max() ?? 0)
        let lines = settings.map { key, value, source -> Message in
            .textVerbatim("\(key.name.padded(to: keyWidth))  \(value.text.padded(to: valueWidth))  \(source)")
        }
        self.init(
            ["file": loaded.file, "embedded": loaded.configuration.isEmbedded, "settings": objects],
            [.configFile(loaded.file ?? "-")] + lines
        )
    }
}
