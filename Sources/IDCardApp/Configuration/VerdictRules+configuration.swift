import IDCardCore

extension VerdictRules {
    /// Takes the rules from values that are all sound.
    init(_ values: ResolvedConfiguration) {
        self.init(
            legalityThreshold: values.require("verification.legality_threshold", \.number),
            legalityUnavailable: values.word("verification.legality_unavailable"),
            severities: Self.severities(values),
            minimumAge: values.require("verdict.min_age", \.integer),
            expiryNotice: .seconds(values.require("verdict.expiry_notice_days", \.integer) * 86_400)
        )
    }

    /// The severities that differ from the rules' own, so that rules which mean the same are equal.
    private static func severities(_ values: ResolvedConfiguration) -> [VerdictRule: VerdictSeverity] {
        var severities: [VerdictRule: VerdictSeverity] = [:]
        for rule in VerdictRule.allCases {
            let severity: VerdictSeverity = values.word(ConfigurationKey.severityPath(of: rule))
            if severity != rule.defaultSeverity { severities[rule] = severity }
        }
        return severities
    }
}
