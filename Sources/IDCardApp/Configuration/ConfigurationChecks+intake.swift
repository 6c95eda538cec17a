import IDCardTriggers

extension ConfigurationChecks {
    /// A rule for business numbers that cannot be read.
    var intakeProblems: [ConfigurationError.Problem] {
        let key = ConfigurationKey.businessNumberRulePath
        guard let text = self.values.find(key, \.text) else { return [] }
        do {
            _ = try BusinessNumberRule(text)
            return []
        } catch {
            return [.init(.malformedValue, key: key, "\(key) \(error.words)")]
        }
    }
}
