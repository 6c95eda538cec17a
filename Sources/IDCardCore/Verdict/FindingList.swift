/// Collects what does not hold, each under the severity that is configured for its rule.
struct FindingList {
    private let severities: [VerdictRule: VerdictSeverity]
    /// What was found, in the order of the asking.
    private(set) var all: [VerdictFinding] = []

    init(severities: [VerdictRule: VerdictSeverity]) {
        self.severities = severities
    }

    /// Notes that a rule does not hold, unless it is not asked.
    mutating func note(_ rule: VerdictRule, _ message: String) {
        let severity = self.severity(of: rule)
        guard severity != .off else { return }
        self.all.append(VerdictFinding(rule.reason, severity, message: message))
    }

    /// Notes a finding whose severity has a key of its own.
    mutating func note(_ finding: VerdictFinding) {
        self.all.append(finding)
    }

    private func severity(of rule: VerdictRule) -> VerdictSeverity {
        guard let configured = self.severities[rule], rule.possibleSeverities.contains(configured) else {
            return rule.defaultSeverity
        }
        return configured
    }
}
