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
            await ShownConfiguration(try self.options.load()).print(self.format)
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
    private struct Mistake: Encodable {
        let code: String
        @Nullable var key: String?
        @Nullable var line: Int?
        let message: String
    }

    private struct Endpoint: Encodable {
        struct Step: Encodable {
            let step: EndpointProbe.Step
            let ok: Bool
            let message: String
        }

        let section: String
        let endpoint: String
        let reachable: Bool
        let steps: [Step]

        init(_ section: String, _ probe: EndpointProbe) {
            self.section = section
            self.endpoint = probe.endpoint
            self.reachable = probe.isReachable
            self.steps = probe.outcomes.map { Step(step: $0.step, ok: $0.isOK, message: $0.message.text()) }
        }

        var lines: [String] {
            self.steps.map {
                "\($0.ok ? "" : "error: ")\(self.section) (\(self.endpoint)), \($0.step.rawValue): \($0.message)"
            }
        }
    }

    /// Whether the configuration can be used.
    let ok: Bool
    @Nullable private var file: String?
    private let errors: [Mistake]
    private let notices: [String]
    @Nullable private var endpoints: [Endpoint]?

    /// Whether each endpoint that was connected to answered.
    var isReachable: Bool { (self.endpoints ?? []).allSatisfy(\.reachable) }

    /// Joins what loading finds with what is found in certificates, addresses, tokens and folders, and online at endpoints.
    init(isOnline: Bool = false, _ load: () throws -> LoadedConfiguration) async throws {
        var mistakes: [ConfigurationError.Mistake]
        do {
            let loaded = try load()
            mistakes = await Self.refusals(of: loaded.configuration)
            for index in mistakes.indices {
                mistakes[index].line = mistakes[index].key.flatMap { loaded.sources[$0]?.line }
            }
            self.endpoints = isOnline && mistakes.isEmpty ? try await Self.probes(of: loaded.configuration) : nil
            self.file = loaded.file
            let notices = loaded.configuration.notices + loaded.configuration.runNotices
            self.notices =
                (notices + [loaded.configuration.sandboxDoubt, loaded.configuration.isolationDoubt].compactMap(\.self))
                .map { $0.text() }
        } catch let error as ConfigurationError {
            mistakes = error.mistakes
            self.file = nil
            self.notices = []
            self.endpoints = nil
        }
        self.ok = mistakes.isEmpty
        self.errors = mistakes.map {
            Mistake(code: $0.error.code.rawValue, key: $0.key, line: $0.line, message: $0.error.message.text())
        }
    }

    private static func probes(of configuration: Configuration) async throws(CodedError) -> [Endpoint] {
        var endpoints: [Endpoint] = []
        if let settings = configuration.verification {
            let service = try VerificationService(settings)
            endpoints.append(Endpoint("verification", await service.probe()))
            await service.shutdown()
        }
        if let settings = configuration.delivery {
            let backend = try BusinessBackend(settings)
            endpoints.append(Endpoint("delivery", await backend.probe()))
            await backend.shutdown()
        }
        return endpoints
    }

    /// What the endpoints' clients say of a configuration when they are made, and what `serve` refuses.
    private static func refusals(of configuration: Configuration) async -> [ConfigurationError.Mistake] {
        var mistakes: [ConfigurationError.Mistake] = []
        await mistakes.attempt("verification") { () async throws(CodedError) in
            if let settings = configuration.verification { try await VerificationService(settings).shutdown() }
        }
        await mistakes.attempt("delivery") { () async throws(CodedError) in
            if let settings = configuration.delivery { try await BusinessBackend(settings).shutdown() }
        }
        await mistakes.attempt("imaging.isolation") { () throws(CodedError) in try configuration.requireIsolation() }
        mistakes += await Self.refusalsOfSandbox(configuration)
        let (server, unusable) = await configuration.serving()
        mistakes += unusable
        await mistakes.attempt("server.tokens_file") { () throws(CodedError) in
            // It opens nothing; with all others serve works. What cannot be read is said already.
            guard let file = configuration.server.tokensFile.map(TokensFile.init), let tokens = try? file.read(),
                let name = tokens.apart(from: server.webhookSecrets).barred.first
            else { return }
            throw AccessToken.invalid(file.refusal(of: name))
        }
        if !configuration.watch.folders.isEmpty {
            await mistakes.attempt("watch.folders") { () throws(CodedError) in _ = try configuration.watchOptions() }
        }
        return mistakes
    }

    /// What keeps the sandbox from being opened, or made.
    private static func refusalsOfSandbox(_ configuration: Configuration) async -> [ConfigurationError.Mistake] {
        var mistakes: [ConfigurationError.Mistake] = []
        func attempt(_ key: String, _ body: () async throws -> Void) async {
            await mistakes.attempt(key) { () async throws(CodedError) in
                do { try await body() } catch let error as CodedError { throw error } catch {}
            }
        }
        await attempt("sandbox.path") { try CardStore.requirePlace(at: configuration.sandboxPath) }
        // A command is not run here.
        guard configuration.vault.keyCommand == nil else { return mistakes }
        let isThere = CardStore.isSandbox(at: configuration.sandboxPath)
        if !configuration.isEmbedded || isThere {
            await attempt(configuration.vault.key == nil ? "vault.key_file" : "vault.key") {
                _ = try await configuration.vaultKeys(creating: false)
            }
        }
        guard mistakes.isEmpty else { return mistakes }
        await attempt("sandbox.path") {
            if isThere {
                try await configuration.openStore(creating: false).close()
            } else {
                try configuration.requireKeyOfNoOther()
            }
        }
        return mistakes
    }

    var lines: [String] {
        let problems = self.errors.map { "error: \($0.message)" } + self.notices.map { "note: \($0)" }
        return problems + (self.endpoints ?? []).flatMap(\.lines) + [self.verdict.text()]
    }

    private var verdict: Message {
        guard self.ok else { return .configNotUsable(self.errors.count) }
        return self.file.map { Message.configUsable($0) } ?? .configUsableNoFile
    }
}

/// What `config show` reports: `file`, `embedded`, `settings` (`key`, `value`, `source`, `secret`, `environment`).
struct ShownConfiguration: Report {
    private struct Setting: Encodable {
        let key: String
        let value: ShownValue
        let source: String
        let secret: Bool
        let environment: String
    }

    @Nullable private var file: String?
    private let embedded: Bool
    private let settings: [Setting]

    init(_ loaded: LoadedConfiguration) {
        self.file = loaded.file
        self.embedded = loaded.configuration.isEmbedded
        self.settings = ConfigurationKey.all.map { key in
            let source =
                switch loaded.sources[key.name] {
                case nil: "default"
                case .file(let line): "file, line \(line)"
                case .variable(let name): name
                case .option: "command line"
                }
            return Setting(
                key: key.name,
                value: key.show(loaded.configuration),
                source: source,
                secret: key.isSecret,
                environment: key.variable
            )
        }
    }

    var lines: [String] {
        let keyWidth = self.settings.map(\.key.count).max() ?? 0
        // A very long value pushes only its own line.
        let valueWidth = min(40, self.settings.map(\.value.text.count).max() ?? 0)
        return ["# configuration file: \(self.file ?? "-")"]
            + self.settings.map {
                "\($0.key.padded(to: keyWidth))  \($0.value.text.padded(to: valueWidth))  \($0.source)"
            }
    }
}
