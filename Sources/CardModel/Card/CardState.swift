/// The side of a resident identity card that a photo shows.
package enum CardSide: String, CaseIterable, Sendable, Codable {
    /// The portrait side (人像面): name, number, address.
    case front = "front"
    /// The emblem side (国徽面): issuer and validity.
    case back = "back"
}

/// The closed set of states in the life of a card.
///
/// The order of the cases is the order of the life; the raw values are stored in the sandbox and printed to users.
package enum CardState: String, CaseIterable, Sendable, Codable {
    /// The image is being fetched from a URL; the bytes received so far are durable.
    case fetching = "fetching"
    /// The source bytes are durable.
    case received = "received"
    /// The recompressed JPEG and its metadata are durable.
    case prepared = "prepared"
    /// Fields, legality and the verdict are durable.
    case verified = "verified"
    /// A member of a persisted delivery.
    case delivering = "delivering"
    /// The backend accepted it.
    case delivered = "delivered"
    /// The image is unreadable, or a rule, the verifier or the backend refused the card.
    case rejected = "rejected"
    /// All attempts of a call that is safe to repeat are used up.
    case failed = "failed"
    /// The card waits for the decision of a person.
    case held = "held"
    /// A newer photo of the same side replaced it before delivery.
    case superseded = "superseded"
    /// Only id, times and reason are left; nothing personal.
    case erased = "erased"

    /// Whether the pipeline continues with a card in this state without a person.
    package var isRunnable: Bool {
        switch self {
        case .fetching, .received, .prepared, .verified, .delivering: true
        case .delivered, .rejected, .failed, .held, .superseded, .erased: false
        }
    }

    /// Whether a card in this state is still to be verified, which tells its side.
    package var awaitsVerification: Bool {
        switch self {
        case .fetching, .received, .prepared: true
        default: false
        }
    }
}
