extension ConfigurationChecks {
    /// At most one source of the keys, and keys that can be used; a command is not run only to check it.
    var vaultProblems: [ConfigurationError.Problem] {
        let set = ["vault.key_file", "vault.key", "vault.key_command"]
            .compactMap { self.values[$0] }.filter { $0.value != nil && $0.source != .builtIn }
        if set.count > 1, let last = set.last {
            let names = set.map { "\($0.key.path) (from \($0.source.rawValue))" }.joined(separator: " and ")
            return [.init(.conflict, key: last.key.path, "\(names) exclude each other: keep one")]
        }
        guard let source = VaultKeySource(self.values) else { return [] }
        // The key of the embedded endpoints is made when it is needed.
        if self.embedded, set.isEmpty, source.keyFile?.exists == false { return [] }
        do throws(ConfigurationError.Problem) {
            try source.check()
            return []
        } catch {
            return [error]
        }
    }

    /// The key that must be there before anything is stored; `nil` if one is named, or nothing is encrypted.
    ///
    /// - Parameter refused: keys that are set to something unreadable, which is a problem of its own.
    func missingVaultKey(besides refused: Set<String>) -> ConfigurationError.Problem? {
        guard self.values.find("vault.mode", \.text) == "aes-256-gcm", VaultKeySource(self.values) == nil,
            refused.isDisjoint(with: ["vault.key_file", "vault.key", "vault.key_command"])
        else { return nil }
        return .missingVaultKey
    }
}
