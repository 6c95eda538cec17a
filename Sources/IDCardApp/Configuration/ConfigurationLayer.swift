import Configuration
import Foundation

/// One place from which values come, as a snapshot of swift-configuration.
struct ConfigurationLayer: Sendable {
    /// What was written, before it is read as a value.
    enum Written: Sendable {
        case scalar(String)
        case items([String])

        /// The text as it was written, for messages.
        var text: String {
            switch self {
            case .scalar(let text): text
            case .items(let items): items.joined(separator: ",")
            }
        }
    }

    let source: ConfigurationSource
    /// The path of the file, if it is one.
    let path: String?
    private let snapshot: any ConfigSnapshot
    private let prefix: [String]
    /// The variables there are; `nil` for another place. Spelling a key for the library takes long, and most have none.
    private let variables: Set<String>?

    private init(
        _ source: ConfigurationSource,
        path: String? = nil,
        snapshot: any ConfigSnapshot,
        prefix: [String] = [],
        variables: Set<String>? = nil
    ) {
        self.source = source
        self.path = path
        self.snapshot = snapshot
        self.prefix = prefix
        self.variables = variables
    }

    /// The options of the command line, by key path.
    static func commandLine(_ overrides: [String: String]) -> ConfigurationLayer {
        let values = overrides.map { path, text in
            let isSecret = ConfigurationKey.named(path)?.isSecret ?? true
            return (AbsoluteConfigKey(ConfigKey(path)), ConfigValue(.string(text), isSecret: isSecret))
        }
        let provider = InMemoryProvider(name: "command line", values: Dictionary(values) { first, _ in first })
        return ConfigurationLayer(.commandLine, snapshot: provider.snapshot())
    }

    /// The `IDCARD_…` variables; an empty one counts as unset, as it does for most programs.
    static func environment(_ environment: [String: String]) -> ConfigurationLayer {
        let secrets = Set(ConfigurationKey.all.filter(\.isSecret).map(\.environmentName))
        let variables = environment.filter {
            !$0.value.allSatisfy(\.isWhitespace) && $0.key.hasPrefix(ConfigurationKey.environmentPrefix)
        }
        let provider = EnvironmentVariablesProvider(
            environmentVariables: variables,
            secretsSpecifier: .specific(secrets)
        )
        return ConfigurationLayer(
            .environment,
            snapshot: provider.snapshot(),
            prefix: ["idcard"],
            variables: Set(variables.keys)
        )
    }

    /// The values of the YAML file, if it has any.
    static func file(_ file: ConfigurationFile) -> ConfigurationLayer? {
        file.snapshot.map { ConfigurationLayer(.file, path: file.path, snapshot: $0) }
    }

    /// What this layer says about a path; `nil` if it says nothing.
    func written(_ path: String) -> Written? {
        if let variables = self.variables, let name = ConfigurationKey.named(path)?.environmentName,
            !variables.contains(name)
        {
            return nil
        }
        let key = AbsoluteConfigKey(self.prefix + path.split(separator: ".").map(String.init))
        do {
            // Nearly no key is written in any one place, and spelling one for the library takes long: asked once.
            guard let value = try self.snapshot.value(forKey: key, type: .string).value else { return nil }
            if case .string(let text) = value.content {
                return .scalar(text.trimmingCharacters(in: .whitespacesAndNewlines))
            }
        } catch {
            // A value of the other kind makes the library throw: the two attempts together see everything there is.
        }
        if let value = try? self.snapshot.value(forKey: key, type: .stringArray).value,
            case .stringArray(let items) = value.content
        {
            return .items(items)
        }
        return nil
    }

    /// Where a value of a key was written, for messages.
    func origin(of key: ConfigurationKey) -> String {
        switch self.source {
        case .commandLine: "the command line"
        case .environment: "the variable \(key.environmentName)"
        case .file: self.path ?? "the file"
        case .builtIn: "the table of keys"
        }
    }
}
