import IDCardCore

/// The rules that join several keys; a rule whose keys could not be read says nothing.
struct ConfigurationChecks {
    let values: ResolvedConfiguration
    /// Whether the built-in endpoints take the place of the configured ones.
    let embedded: Bool

    /// What makes the configuration unusable.
    var problems: [ConfigurationError.Problem] {
        self.timeProblems + self.retcodeProblems + self.tokenProblems
    }

    private var timeProblems: [ConfigurationError.Problem] {
        let limits = [
            ("retry.base", "retry.cap"), ("http.connect_timeout", "verification.timeout"),
            ("http.connect_timeout", "delivery.timeout"),
        ]
        return limits.compactMap { lower, upper in
            guard
                let shorter = self.values.find(lower, \.duration),
                let longer = self.values.find(upper, \.duration),
                shorter > longer
            else { return nil }
            return .init(
                .conflict,
                key: lower,
                "\(lower) (\(DurationText.render(shorter))) must not be longer than \(upper) "
                    + "(\(DurationText.render(longer)))"
            )
        }
    }

    private static let retcodeLists = ["success", "already_exists", "token_expired", "retryable"]

    private var retcodeProblems: [ConfigurationError.Problem] {
        var problems: [ConfigurationError.Problem] = []
        var owners: [String: String] = [:]
        for path in Self.retcodeLists.map({ "delivery.retcode.\($0)" }) {
            for code in Set(self.values.find(path, \.list) ?? []).sorted() {
                if let owner = owners[code] {
                    let message = "RETCODE \(code) cannot be both in \(owner) and in \(path)"
                    problems.append(.init(.conflict, key: path, message))
                } else {
                    owners[code] = path
                }
            }
        }
        if self.values.find("delivery.retcode.success", \.list) == [] {
            let key = "delivery.retcode.success"
            problems.append(.init(.conflict, key: key, "\(key) is empty, so no delivery could ever be accepted"))
        }
        return problems
    }

    private var tokenProblems: [ConfigurationError.Problem] {
        guard let file = self.values["delivery.token_file"], let path = file.value?.text else { return [] }
        if let token = self.values["delivery.token"], token.value != nil {
            return [
                .init(
                    .conflict,
                    key: "delivery.token_file",
                    "delivery.token (from \(token.source.rawValue)) and delivery.token_file "
                        + "(from \(file.source.rawValue)) exclude each other: remove one"
                )
            ]
        }
        guard !self.embedded else { return [] }
        do throws(ConfigurationError.Problem) {
            _ = try SecretFile(path: path, key: "delivery.token_file").read()
            return []
        } catch {
            return [error]
        }
    }
}
