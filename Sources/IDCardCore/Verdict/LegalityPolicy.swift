/// What happens to a card when the verifier gives no legality (`verification.legality_unavailable`).
package enum LegalityPolicy: String, CaseIterable, Sendable {
    /// A person decides.
    case hold
    /// The card passes.
    case accept
    /// The card is refused.
    case reject
}
