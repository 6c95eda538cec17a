import IDCardCore

/// The effective values of all keys that could be read, before they become an ``AppConfiguration``.
struct ResolvedConfiguration: Sendable {
    /// One entry per key whose value is sound, in the order of the table.
    private(set) var entries: [ConfigurationEntry] = []
    private var indices: [String: Int] = [:]

    mutating func append(_ entry: ConfigurationEntry) {
        self.indices[entry.key.path] = self.entries.count
        self.entries.append(entry)
    }

    /// The entry of a key; `nil` if its value was refused.
    ///
    /// - Precondition: the table has the key.
    subscript(path: String) -> ConfigurationEntry? {
        precondition(ConfigurationKey.named(path) != nil, "the table of keys has no \(path)")
        return self.indices[path].map { self.entries[$0] }
    }

    /// A value, if its key is set and sound.
    func find<Value>(_ path: String, _ type: KeyPath<ConfigurationValue, Value?>) -> Value? {
        self[path]?.value?[keyPath: type]
    }

    /// A value that cannot be absent once everything is sound, because its key has a default.
    ///
    /// - Precondition: the key has a value of this type.
    func require<Value>(_ path: String, _ type: KeyPath<ConfigurationValue, Value?>) -> Value {
        guard let value = self.find(path, type) else {
            preconditionFailure("\(path) has no value of the type asked for; see the table of keys")
        }
        return value
    }

    /// Calls per second; `nil` if there is no fixed limit.
    func rate(_ path: String) -> Double? {
        let rate = self.require(path, \.number)
        return rate == 0 ? nil : rate
    }

    /// A proxy, if one is set.
    func proxy(_ path: String) -> ProxyAddress? {
        self.find(path, \.secret).flatMap { ProxyAddress($0.reveal()) }
    }

    /// Whether somebody set a key to a sound value other than its default.
    func isChanged(_ path: String) -> Bool {
        guard let entry = self[path], entry.source != .builtIn, let value = entry.value else { return false }
        guard case .value(let text) = entry.key.fallback else { return true }
        return (try? entry.key.form.parse(text)) != value
    }

    /// A word of a closed set.
    ///
    /// - Precondition: the type has a case for every word the table allows.
    func word<Word: RawRepresentable<String>>(_ path: String, as type: Word.Type = Word.self) -> Word {
        let text = self.require(path, \.text)
        guard let word = Word(rawValue: text) else { preconditionFailure("\(path): \(type) has no case for \(text)") }
        return word
    }
}
