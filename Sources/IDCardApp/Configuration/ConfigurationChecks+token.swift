extension ConfigurationChecks {
    /// At most one source of the TOKEN, and a file that can be used; a command is not run only to check it.
    var tokenProblems: [ConfigurationError.Problem] {
        let set = ["delivery.token", "delivery.token_file", "delivery.token_command"]
            .compactMap { self.values[$0] }.filter { $0.value != nil }
        if set.count > 1, let last = set.last {
            let names = set.map { "\($0.key.path) (from \($0.source.rawValue))" }.joined(separator: " and ")
            let message = "\(names) exclude each other: keep one"
            return [.init(.conflict, key: last.key.path, message)]
        }
        guard !self.embedded, self.readsFiles, let path = self.values.find("delivery.token_file", \.text) else { return [] }
        do throws(ConfigurationError.Problem) {
            _ = try SecretFile(path: path, key: "delivery.token_file").read()
            return []
        } catch {
            return [error]
        }
    }
}
