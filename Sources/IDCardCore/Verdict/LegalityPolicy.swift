/// What happens to a card when the verifier gives no legality (`verification.legality_unavailable`).
///
/// A key that is not licensed for the scores gives none or zeros, and the vendor's samples of backs carry none in FaceID v1
/// and Face++. Where the service answers as they do, every back is held under the default policy; whoever knows that of
/// the account sets `accept`, which lets fronts without scores pass too.
package enum LegalityPolicy: String, CaseIterable, Sendable {
    /// A person decides.
    case hold
    /// The card passes.
    case accept
    /// The card is refused.
    case reject
}
