package import IDCardCore

/// A stage of the pipeline that works through the store.
package enum Stage: String, CaseIterable, Sendable, Codable {
    /// Photos to JPEGs.
    case prepare
    /// JPEGs to readings.
    case verify
    /// Verified cards to the business backend.
    case deliver
}

extension CardState {
    /// The stage that takes a card on from this state; `nil` where none does.
    package var stage: Stage? {
        switch self {
        case .fetching, .received: .prepare
        case .prepared: .verify
        case .verified, .delivering: .deliver
        case .delivered, .rejected, .failed, .held, .superseded, .erased: nil
        }
    }
}
