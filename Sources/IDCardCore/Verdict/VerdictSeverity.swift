/// What follows when a rule of the verdict does not hold (`verdict.severity.*`).
package enum VerdictSeverity: String, CaseIterable, Sendable, Codable {
    /// The card is refused.
    case reject
    /// A person decides.
    case hold
    /// The card passes, and its history says so.
    case warn
    /// The rule is not asked.
    case off
}
