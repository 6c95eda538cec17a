import CardEngine
import CardModel
import CardRemote
import Foundation
import SystemPackage

/// A configuration merged from its layers, with the source of each value and all mistakes.
struct LoadedConfiguration: Sendable {
    /// The source of a value; the strongest is last.
    enum Source: Hashable, Sendable {
        case file(line: Int)
        case variable(String)
        case option

        var line: Int? { if case .file(let line) = self { line } else { nil } }
    }

    private(set) var folders: UserFolders
    var configuration = Configuration(sandboxPath: "")
    /// The sources of values other than defaults, by key.
    private(set) var sources: [String: Source] = [:]
    let file: String?
    /// The mistakes, in the order of the layers.
    var mistakes: [ConfigurationError.Mistake] = []
    /// The keys whose values could not be read; rules that need them are skipped.
    private(set) var unread: Set<String> = []
    /// Whether files named in the configuration are read.
    let readsFiles: Bool

    /// Loads the configuration: options over `IDCARD_…` variables over the file over the defaults.
    ///
    /// - Parameters:
    ///   - options: values of the command line by the names of their keys.
    ///   - requiringRemotes: whether missing endpoints are a mistake.
    ///   - readingFiles: whether files named in the configuration are read. If so, root first becomes the owner of the sandbox,
    ///     as root may read files that the owner may not.
    /// - Throws: `ConfigurationError` with all mistakes together; `sandbox_unavailable` if root cannot become the owner.
    init(
        file: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        options: [String: String] = [:],
        embedded: Bool = false,
        requiringRemotes: Bool = false,
        readingFiles: Bool = true
    ) throws {
        self.folders = UserFolders(environment: environment)
        self.readsFiles = readingFiles
        self.file = ConfigurationFile.locate(named: file, environment: environment, folders: self.folders)
        self.configuration.isEmbedded = embedded
        if let path = self.file { self.read(try ConfigurationFile(path: path)) }
        self.configuration.fourEyesOfFile = self.configuration.fourEyes
        self.read(environment: environment)
        for (name, text) in options.sorted(by: { $0.key < $1.key }) {
            self.fill(name, .text(text), from: .option, at: .placeOption)
        }
        self.complete()
        if readingFiles { try SandboxOwner.become(of: self.configuration.sandboxPath) }
        self.check(requiringRemotes: requiringRemotes)
        guard self.mistakes.isEmpty else { throw ConfigurationError(mistakes: self.mistakes) }
    }

    // MARK: The layers

    private mutating func read(_ file: ConfigurationFile) {
        self.mistakes += file.mistakes
        self.unread.formUnion(file.mistakes.compactMap(\.key))
        var holdsSecret = false
        // Relative paths in the file start from its folder.
        let base = self.folders.base
        defer { self.folders.base = base }
        self.folders.base = base.pushing(FilePath(file.path)).removingLastComponent()
        for setting in file.settings {
            holdsSecret = holdsSecret || ConfigurationKey.named(setting.name)?.isSecret == true
            let location: Message = .placeFile(file.path, line: setting.line)
            self.fill(setting.name, setting.value, from: .file(line: setting.line), at: location)
        }
        if holdsSecret, file.isReadableByOthers { self.configuration.notices.append(.configReadable(file.path)) }
    }

    private mutating func read(environment: [String: String]) {
        for key in ConfigurationKey.all {
            guard let text = environment[key.variable] else { continue }
            self.fill(key.name, .text(text), from: .variable(key.variable), at: .textVerbatim(key.variable))
            if text.count > 1, text.first == text.last, text.first == "\"" || text.first == "'" {
                self.configuration.notices.append(.configQuoted(key.variable))
            }
        }
        let known = Set(ConfigurationKey.all.map(\.variable)).union([ConfigurationFile.variable])
        for name in environment.keys.sorted() where name.hasPrefix(ConfigurationKey.variablePrefix) {
            if known.contains(name) { continue }
            let near = NameSuggestion.closest(to: name, among: known.sorted())
            self.configuration.notices.append(
                near.map { Message.configSimilarVariable(name, $0) } ?? .configUnknownVariable(name)
            )
        }
    }

    /// Fills the property of a key, or adds a mistake.
    private mutating func fill(_ name: String, _ value: WrittenValue, from source: Source, at location: Message) {
        guard let key = ConfigurationKey.named(name) else {
            if name.hasPrefix(ConfigurationKey.fieldFamily), let slip = value.slip() {
                let message: Message = .configValueInvalid(name, location, value.shown, slip)
                return self.addMistake(.settingInvalid, name, from: source, message)
            }
            if self.addField(name, value) { return }
            let near = NameSuggestion.closest(to: name, among: ConfigurationKey.all.map(\.name))
            let message: Message =
                near.map { Message.configSimilarKey(name, location, $0) } ?? .configUnknownKey(name, location)
            return self.addMistake(.settingUnknown, name, from: source, message)
        }
        let slip = key.slip(value)
        guard slip == nil, key.fill(value, self.folders, &self.configuration) else {
            // An invalid address may hold a password.
            let isShown = !key.isSecret && key.expectation != ValueType<String>.address.expectation
            let message: Message =
                isShown
                ? .configValueInvalid(name, location, value.shown, slip ?? key.expectation)
                : .configSecretInvalid(name, location, slip ?? key.expectation)
            return self.addMistake(.settingInvalid, name, from: source, message)
        }
        self.sources[name] = source
    }

    /// Adds a further field with a constant value, `delivery.fields.NAME`; `false` if it is not one, or resembles a known one.
    private mutating func addField(_ name: String, _ value: WrittenValue) -> Bool {
        guard name.hasPrefix(ConfigurationKey.fieldFamily), let text = value.text, text.isOneLine else { return false }
        let field = String(name.dropFirst(ConfigurationKey.fieldFamily.count))
        let known = ConfigurationKey.form.map(\.name).filter { $0.hasPrefix(ConfigurationKey.fieldFamily) }
            .map { String($0.dropFirst(ConfigurationKey.fieldFamily.count)) }
        guard field.isOneLine, NameSuggestion.closest(to: field, among: known) == nil else { return false }
        self.configuration.backend.form.extra.append(.text(text, name: field))
        return true
    }

    /// Adds a mistake of a key, whose value is then ignored.
    mutating func addMistake(_ code: ReasonCode, _ name: String, from source: Source?, _ message: Message) {
        self.unread.insert(name)
        let error = CodedError(code, .configuration, message)
        self.mistakes.append(.init(key: name, line: source?.line, error: error))
    }

    /// Sets shared properties, and defaults that depend on the folders of the user.
    private mutating func complete() {
        let isEmbedded = self.configuration.isEmbedded
        self.configuration.verifier.endpoint.concurrency = self.configuration.engine.verification.concurrency
        self.configuration.backend.endpoint.concurrency = self.configuration.engine.delivery.concurrency
        self.configuration.backend.batchMaximumCards = self.configuration.engine.batchMaxCards
        self.configuration.engine.policy.layout = self.configuration.backend.layout
        self.configuration.engine.hasDefaultUserNumber = isEmbedded || self.configuration.backend.userNumber != nil
        var path = self.configuration.sandboxPath
        if path.isEmpty { path = self.folders.sandbox(embedded: isEmbedded) ?? "" }
        // The working directory may change while the process runs, and only absolute paths can be compared.
        if !path.isEmpty { self.configuration.sandboxPath = URL(filePath: path).standardized.path }
        if self.configuration.server.tokensFile == nil {
            self.configuration.server.tokensFile = self.folders.configured("tokens.json")
        }
        let vault = self.configuration.vault
        if vault.keyFile == nil, vault.key == nil, vault.keyCommand == nil {
            self.configuration.vault.keyFile = self.folders.keyFile(embedded: isEmbedded)
        }
    }
}
