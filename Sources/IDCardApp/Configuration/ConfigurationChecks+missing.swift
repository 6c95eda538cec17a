extension ConfigurationChecks {
    /// What must be set before anything can be verified and delivered; `nil` if it is.
    ///
    /// - Parameter refused: keys that are set to something unreadable, which is a problem of its own.
    func missing(besides refused: Set<String> = []) -> ConfigurationError.Problem? {
        guard !self.embedded else { return nil }
        let isSet = { (path: String) in refused.contains(path) || self.values[path]?.value != nil }
        let needed = [
            ["verification.url"], ["verification.api_key"], ["verification.api_secret"], ["delivery.url"],
            ["delivery.token_file", "delivery.token", "delivery.token_command"],
        ]
        let missing = needed.filter { !$0.contains(where: isSet) }.compactMap { $0.compactMap(ConfigurationKey.named) }
        guard !missing.isEmpty else { return nil }
        let lines = missing.map { alternatives in
            let names = alternatives.map { "\($0.path) (\($0.environmentName))" }.joined(separator: " or ")
            return "  \(names): \(alternatives.first?.summary ?? "")"
        }
        return .init(
            .missing,
            key: missing.first?.first?.path,
            """
            nothing says where cards are verified and delivered; \
            set, in the configuration file or by the variable in brackets:
            \(lines.joined(separator: "\n"))
            or try it with the built-in verifier and backend: --embedded
            """
        )
    }
}
