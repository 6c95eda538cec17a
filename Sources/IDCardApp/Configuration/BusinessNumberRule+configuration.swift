import IDCardTriggers

extension BusinessNumberRule {
    /// The rule of a configuration that was checked (`intake.business_no_from`).
    init(_ values: ResolvedConfiguration) {
        do {
            self = try BusinessNumberRule(values.require(ConfigurationKey.businessNumberRulePath, \.text))
        } catch {
            preconditionFailure("a rule that the checks let pass cannot be read: \(error.words)")
        }
    }
}
