extension DeliveryOutcome {
    /// How the call ended; of several cards, how it ended for the first that was not accepted.
    package var failureClass: FailureClass {
        switch self {
        case .accepted: .accepted
        case .items(let items): items.lazy.map(\.failureClass).first { $0 != .accepted } ?? .accepted
        case .tokenExpired(let failure), .failed(let failure): failure.failureClass
        }
    }
}

extension DeliveryItemOutcome {
    /// How the call ended for this card.
    package var failureClass: FailureClass {
        switch self {
        case .accepted: .accepted
        case .rejected(let failure), .notApplied(let failure), .unknown(let failure): failure.failureClass
        }
    }
}
