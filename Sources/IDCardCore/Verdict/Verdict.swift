/// The judgement over one reading: the provider's answer joined with our own rules.
package enum Verdict: Hashable, Sendable {
    /// Every rule holds.
    case accepted
    /// A rule says no.
    case rejected(ReasonCode, message: String)
    /// A rule cannot be judged; a person decides.
    case held(ReasonCode, message: String)
}
