import CardModel

/// A key of the configuration: the one declaration of its name, its allowed values, its meaning and its property. Its
/// default is that of the property.
struct ConfigurationKey: Sendable {
    /// The path in the file, such as `imaging.max_edge`.
    let name: String
    /// The purpose of the key, in one sentence.
    private(set) var meaning: Message
    let expectation: Message
    let isSecret: Bool
    /// A correction of a value that looks right but is not.
    let slip: @Sendable (WrittenValue) -> Message?
    /// The default in words, if the property's own value does not show it.
    private(set) var defaultWords: String?
    /// Fills the property; `false` if the value is not as expected.
    let fill: @Sendable (WrittenValue, UserFolders, inout Configuration) -> Bool
    let show: @Sendable (Configuration) -> ShownValue

    /// Declares a key beside the property that it fills.
    init<Value: Sendable>(
        _ name: String,
        _ property: any WritableKeyPath<Configuration, Value> & Sendable,
        _ type: ValueType<Value>,
        isSecret: Bool = false
    ) {
        self.name = name
        self.meaning = Message(id: "key.\(name)", "")
        self.expectation = type.expectation
        self.slip = type.slip
        self.isSecret = isSecret || Value.self == Redacted<String>.self
        self.fill = { written, folders, configuration in
            guard let value = type.read(written, folders) else { return false }
            configuration[keyPath: property] = value
            return true
        }
        self.show = { type.show($0[keyPath: property]) }
    }

    /// Declares a key whose property is `nil` by default.
    static func optional<Value: Sendable>(
        _ name: String,
        _ property: any WritableKeyPath<Configuration, Value?> & Sendable,
        _ type: ValueType<Value>
    ) -> ConfigurationKey {
        let isSecret = Value.self == Redacted<String>.self
        let unset = isSecret ? ShownValue.secret(isSet: false) : .unset
        let optional = ValueType<Value?>(
            expectation: type.expectation,
            show: { $0.map(type.show) ?? unset },
            slip: type.slip,
            read: { written, folders in type.read(written, folders).map { .some($0) } }
        )
        return ConfigurationKey(name, property, optional, isSecret: isSecret)
    }

    func means(_ meaning: Message.Text) -> ConfigurationKey {
        var key = self
        key.meaning = Message(id: "key.\(self.name)", meaning)
        return key
    }

    /// Sets the text of the default.
    func defaults(to words: String) -> ConfigurationKey {
        var key = self
        key.defaultWords = words
        return key
    }

    /// The name of the variable: `IDCARD_` and the path in capitals with `_` for `.`.
    var variable: String { Self.variable(of: self.name) }

    static func variable(of name: String) -> String {
        Self.variablePrefix + name.uppercased().replacing(".", with: "_")
    }

    static let variablePrefix = "IDCARD_"

    static func named(_ name: String) -> ConfigurationKey? { Self.byName[name] }

    private static let byName = Dictionary(Self.all.map { ($0.name, $0) }) { first, _ in first }

    /// All keys, in the order in which they are shown.
    static let all = Self.sections.flatMap(\.keys)

    static let sections: [(title: String, keys: [ConfigurationKey])] = [
        ("The sandbox and its keys", Self.sandbox),
        ("Photos", Self.imaging),
        ("The verification service", Self.verification),
        ("The verdict", Self.verdict),
        ("The business backend", Self.delivery),
        ("The form it gets", Self.form),
        ("The replies it gives", Self.replies),
        ("Repeating and ending", Self.pace),
        ("Cards over HTTP (serve)", Self.server),
        ("Inputs, and photos named by URL", Self.intake),
        ("Watched folders (watch, serve)", Self.watch),
        ("How long cards are kept; log, language and time zone", Self.upkeep),
    ]
}
