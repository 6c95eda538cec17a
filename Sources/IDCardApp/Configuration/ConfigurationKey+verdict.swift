import IDCardCore

extension ConfigurationKey {
    /// The rules of the verdict; every rule of the vocabulary has its key.
    static let verdictKeys =
        [
            ConfigurationKey(
                "verdict.min_age",
                .integer(0...150),
                .value("0"),
                "Least age of the holder in whole years; 0: any."
            ),
            ConfigurationKey(
                "verdict.expiry_notice_days",
                .integer(0...3650),
                .value("90"),
                "Days before the end of a card's validity from which it counts as expiring soon; 0: never."
            ),
        ]
        + VerdictRule.allCases.map { rule in
            ConfigurationKey(
                Self.severityPath(of: rule),
                .choice(rule.possibleSeverities.map(\.rawValue)),
                .value(rule.defaultSeverity.rawValue),
                "What follows when \(rule.violation)."
            )
        }

    /// The key that says what follows when a rule does not hold.
    static func severityPath(of rule: VerdictRule) -> String { "verdict.severity.\(rule.rawValue)" }
}
