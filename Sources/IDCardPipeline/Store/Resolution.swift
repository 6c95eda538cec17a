/// What a person decides about a `held` card.
package enum Resolution: String, CaseIterable, Sendable, Codable {
    /// The backend holds the document: becomes `delivered`.
    case delivered
    /// The same delivery is sent again, byte for byte, with all its members that are still `held`.
    case resend
    /// The card is good: becomes `verified`, and goes into a delivery as any other.
    case accept
    /// The card is not to be delivered: becomes `rejected`.
    case reject
}
