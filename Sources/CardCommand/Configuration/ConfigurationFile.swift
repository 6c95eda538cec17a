import CardModel
import Glibc
import Yams

/// The YAML file, read within a limit and split into keys with their lines.
struct ConfigurationFile {
    struct Setting {
        var name: String
        var value: WrittenValue
        var line: Int
    }

    /// The most bytes that are read: a hundred keys need a few thousand.
    private static let maximumBytes = 1 << 20
    static let variable = "IDCARD_CONFIG"
    /// The file of the service, which root maintains.
    private static let ofSystem = "/etc/idcard-pipeline/idcard-pipeline.yaml"

    let path: String
    private(set) var isReadableByOthers = false
    /// The settings, in the order of the file.
    private(set) var settings: [Setting] = []
    /// The mistakes in the entries of the file.
    private(set) var mistakes: [ConfigurationError.Mistake] = []

    /// Finds the file to read: the one named, else `IDCARD_CONFIG`, else for root that of the service, else the one in the
    /// user's folder, if they exist.
    ///
    /// A file in the working directory is never read by default: it may be the sample of a project checkout.
    static func locate(
        named: String?,
        environment: [String: String],
        folders: UserFolders,
        service: String? = geteuid() == 0 ? Self.ofSystem : nil
    ) -> String? {
        for explicit in [named, environment[Self.variable]] {
            if let explicit, !explicit.isEmpty { return folders.expand(explicit) }
        }
        return [service, folders.configured("idcard-pipeline.yaml")].compactMap(\.self).first { access($0, F_OK) == 0 }
    }

    /// - Throws: `configuration_unreadable`, `setting_twice`; the message never quotes the file, which may hold secrets.
    init(path: String) throws(ConfigurationError) {
        self.path = path
        let text: String
        do {
            text = try LimitedText.read(path, upTo: Self.maximumBytes) { status in
                var status = status
                // Only the right to read matters here.
                status.st_mode &= 0o044
                self.isReadableByOthers = SecretRights.othersMayTouch(path, status)
            }
        } catch {
            let reason = LimitedText.reason(error)
            let message: Message =
                switch error {
                case LimitedText.Refusal.tooLong: .configFileTooLong(reason)
                case LimitedText.Refusal.notUTF8: .configFileNotUTF8(reason)
                default: .configFileUnreadable(reason, Self.variable)
                }
            throw Self.unreadable(path, message)
        }
        let root: Node?
        do { root = try Yams.compose(yaml: text) } catch { throw Self.malformed(error, path) }
        guard let root, root.null == nil else { return }
        guard case .mapping(let mapping) = root else { throw Self.unreadable(path, .configFileNoSections) }
        self.addSettings(mapping, below: "")
        self.reportRepeated()
    }

    /// Adds the settings of a section and its subsections.
    private mutating func addSettings(_ mapping: Node.Mapping, below section: String) {
        for (key, value) in mapping {
            let line = key.mark?.line ?? 0
            guard let part = key.string else {
                // An unfilled template, `user_no: {{ user }}`, is valid YAML, and its key is a mapping.
                self.addMistake(section, line, .configFileBraces)
                continue
            }
            let name = section.isEmpty ? part : "\(section).\(part)"
            switch value {
            case .mapping(let inner): self.addSettings(inner, below: name)
            case .sequence(let items):
                let texts = items.compactMap(\.string)
                self.add(name, line, texts.count == items.count ? .list(texts) : nil, otherwise: .configFileList)
            default:
                let text = value.null == nil ? value.string : nil
                self.add(name, line, text.map(WrittenValue.text), otherwise: .configFileNoValue)
            }
        }
    }

    /// Adds a setting, or a mistake if its value cannot be used.
    private mutating func add(_ name: String, _ line: Int, _ value: WrittenValue?, otherwise mistake: Message) {
        guard let value else { return self.addMistake(name, line, mistake) }
        self.settings.append(Setting(name: name, value: value, line: line))
    }

    /// Reports a key that is given twice, as `a: {b: 1}` and as `a.b: 1`.
    private mutating func reportRepeated() {
        var lines: [String: Int] = [:]
        for setting in self.settings {
            guard let first = lines.updateValue(setting.line, forKey: setting.name) else { continue }
            let error = Self.twice(.configFileTwice(setting.name, self.path, line: setting.line, first: first))
            self.mistakes.append(.init(key: setting.name, line: setting.line, error: error))
        }
    }

    private mutating func addMistake(_ name: String, _ line: Int, _ what: Message) {
        let message: Message =
            name.isEmpty
            ? .configFileLine(self.path, line: line, what)
            : .configFileKey(name, self.path, line: line, what)
        let error = CodedError(.settingInvalid, .configuration, message)
        self.mistakes.append(.init(key: name.isEmpty ? nil : name, line: line, error: error))
    }

    /// Returns the error of the parser without the line that it quotes, which may hold a secret.
    private static func malformed(_ error: any Error, _ path: String) -> ConfigurationError {
        switch error {
        case YamlError.duplicatedKeysInMapping(let names, let context):
            let (name, line) = (names.first ?? "", context.mark.line)
            let error = Self.twice(.configFileTwiceInSection(name, path, line: line))
            return ConfigurationError(mistakes: [.init(key: name, line: line, error: error)])
        case YamlError.scanner(_, _, let mark, _), YamlError.parser(_, _, let mark, _),
            YamlError.composer(_, _, let mark, _):
            return Self.unreadable(path, .configFileYAMLAt(line: mark.line, column: mark.column), line: mark.line)
        default: return Self.unreadable(path, .configFileYAML)
        }
    }

    private static func twice(_ message: Message) -> CodedError { CodedError(.settingTwice, .configuration, message) }

    private static func unreadable(_ path: String, _ what: Message, line: Int? = nil) -> ConfigurationError {
        let error = CodedError(.configurationUnreadable, .configuration, .configFileUnusable(path, what))
        return ConfigurationError(mistakes: [.init(line: line, error: error)])
    }
}
