/// The JSON of `config show`.
struct ShownConfiguration: Encodable {
    let file: String?
    let embedded: Bool
    let settings: [ShownSetting]

    private enum CodingKeys: CodingKey { case file, embedded, settings }

    // Written out so that an absent file is `null`, not an absent key.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.file, forKey: .file)
        try container.encode(self.embedded, forKey: .embedded)
        try container.encode(self.settings, forKey: .settings)
    }
}

/// One key in the JSON of `config show`.
struct ShownSetting: Encodable {
    let entry: ConfigurationEntry

    private enum CodingKeys: CodingKey { case key, value, source, secret, environment }

    init(_ entry: ConfigurationEntry) { self.entry = entry }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.entry.key.path, forKey: .key)
        try container.encode(self.entry.source.rawValue, forKey: .source)
        try container.encode(self.entry.key.isSecret, forKey: .secret)
        try container.encode(self.entry.key.environmentName, forKey: .environment)
        guard !self.entry.key.isSecret else { return try container.encode(self.entry.shown, forKey: .value) }
        switch self.entry.value {
        case nil: try container.encodeNil(forKey: .value)
        case .boolean(let isTrue): try container.encode(isTrue, forKey: .value)
        case .integer(let number), .byteCount(let number): try container.encode(number, forKey: .value)
        case .number(let number): try container.encode(number, forKey: .value)
        case .list(let items): try container.encode(items, forKey: .value)
        case .text, .secret, .url, .duration: try container.encode(self.entry.shown, forKey: .value)
        }
    }
}
