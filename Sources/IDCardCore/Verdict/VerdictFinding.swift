/// A rule of the verdict that does not hold for a reading.
package struct VerdictFinding: Hashable, Sendable {
    /// The stable code of what is wrong.
    package var reason: ReasonCode
    /// What follows from it.
    package var severity: VerdictSeverity
    /// What is wrong and what to do, for a person; free of personal data.
    package var message: String

    /// Describes a finding.
    package init(_ reason: ReasonCode, _ severity: VerdictSeverity, message: String) {
        self.reason = reason
        self.severity = severity
        self.message = message
    }
}
