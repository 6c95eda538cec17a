/// One key of the configuration: everything the loader, `config show`, the README and the sample file say about it.
package struct ConfigurationKey: Hashable, Sendable {
    /// What holds if nobody sets the key.
    package enum Default: Hashable, Sendable {
        /// A value, written as a user would.
        case value(String)
        /// A value that depends on the machine, described in words.
        case computed(String)
        /// Nothing: the key is unset.
        case unset
    }

    /// The path in the YAML file, such as `imaging.max_edge`.
    package let path: String
    /// The form of its value.
    package let form: ConfigurationForm
    /// What holds if nobody sets it.
    package let fallback: Default
    /// Whether the value must never be shown.
    package let isSecret: Bool
    /// What it is for, in one line.
    package let summary: String

    init(
        _ path: String,
        _ form: ConfigurationForm,
        _ fallback: Default,
        isSecret: Bool = false,
        _ summary: String
    ) {
        self.path = path
        self.form = form
        self.fallback = fallback
        self.isSecret = isSecret
        self.summary = summary
    }

    /// The parts of the path.
    package var components: [String] { self.path.split(separator: ".").map(String.init) }

    /// The name of the variable: `IDCARD_` and the path in capitals with `_` for `.`.
    ///
    /// Names are made from keys and never read back: `IDCARD_IMAGING_MAX_EDGE` alone does not say where its dots are.
    package var environmentName: String {
        Self.environmentPrefix + self.path.uppercased().replacing(".", with: "_")
    }

    /// What every variable of ours starts with.
    package static let environmentPrefix = "IDCARD_"

    /// The key with a path.
    package static func named(_ path: String) -> ConfigurationKey? { Self.byPath[path] }

    private static let byPath = Dictionary(Self.all.map { ($0.path, $0) }) { first, _ in first }
}
