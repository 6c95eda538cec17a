/// The JSON of `config check`.
struct CheckedConfiguration: Encodable {
    /// Something wrong or doubtful; `kind` is its code or level, under that name.
    struct Finding: Encodable {
        let kindName: CodingKeys
        let kind: String
        let key: String?
        let message: String

        enum CodingKeys: CodingKey { case code, level, key, message }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(self.kind, forKey: self.kindName)
            try container.encode(self.key, forKey: .key)
            try container.encode(self.message, forKey: .message)
        }
    }

    let ok: Bool
    let file: String?
    let errors: [Finding]
    let notices: [Finding]

    init(_ outcome: Result<AppConfiguration, ConfigurationError>) {
        let found: [ConfigurationNotice]
        switch outcome {
        case .success(let configuration):
            self.ok = true
            self.file = configuration.file
            self.errors = []
            found = configuration.notices
        case .failure(let error):
            self.ok = false
            self.file = error.file
            self.errors = error.problems.map {
                Finding(kindName: .code, kind: $0.code.description, key: $0.key, message: $0.message)
            }
            found = error.notices
        }
        self.notices = found.map {
            Finding(kindName: .level, kind: $0.level.rawValue, key: $0.key, message: $0.message)
        }
    }

    private enum CodingKeys: CodingKey { case ok, file, errors, notices }

    // Written out so that an absent file is `null`, not an absent key.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.ok, forKey: .ok)
        try container.encode(self.file, forKey: .file)
        try container.encode(self.errors, forKey: .errors)
        try container.encode(self.notices, forKey: .notices)
    }
}
