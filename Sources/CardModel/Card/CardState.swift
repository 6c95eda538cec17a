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
    /// An image named by URL; what has arrived is durable.
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
    /// Attempts used up on a call whose repetition is harmless.
    case failed = "failed"
    /// A person decides.
    case held = "held"
    /// A newer photo of the same side replaced it before delivery.
    case superseded = "superseded"
    /// A tombstone: id, times, reason; nothing personal.
    case erased = "erased"

    /// Whether the pipeline itself processes a card in this state further.
    package var isRunnable: Bool {
        switch self {
        case .fetching, .received, .prepared, .verified, .delivering: true
        case .delivered, .rejected, .failed, .held, .superseded, .erased: false
        }
    }

    /// Whether the side of a card in this state may still become known by verification.
    package var awaitsVerification: Bool {
        switch self {
        case .fetching, .received, .prepared: true
        default: false
        }
    }
}
