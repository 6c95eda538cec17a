// What an outcome means for the record, for the next attempt and for the endpoint.
extension DeliveryOutcome {
    private var items: [DeliveryItemOutcome] { if case .items(let items) = self { items } else { [] } }

    /// The failure of the delivery as a whole, if any.
    package var failure: RemoteFailure? {
        switch self {
        case .accepted, .items: nil
        case .tokenExpired(let failure), .failed(let failure): failure
        }
    }

    /// The failure of the whole delivery, or of the first card that was not accepted.
    private var firstFailure: RemoteFailure? { self.failure ?? self.items.lazy.compactMap(\.failure).first }

    /// The class of the outcome; for several cards, the class of the first card that was not accepted.
    package var failureClass: FailureClass { self.firstFailure?.failureClass ?? .accepted }

    /// Whether the backend accepted any card.
    package var isAccepted: Bool {
        if case .items(let items) = self { items.contains { $0.failure == nil } } else { self.failure == nil }
    }

    /// The failure that is stored with the attempt. A joint reply that accepts no card counts for the endpoint like a
    /// failure of the whole delivery.
    package var recordedFailure: RemoteFailure? { self.isAccepted ? nil : self.firstFailure }

    /// The code of a reply that accepted every card; `nil` if a card was not accepted, or the codes differ.
    package var acceptedCode: String? {
        if case .accepted(_, let code) = self { return code }
        let codes = Set(self.items.map(\.acceptedCode))
        return codes.count == 1 ? codes.first ?? nil : nil
    }

    /// Whether the whole delivery failed and the backend may have applied it all the same.
    package var mayBeApplied: Bool { self.failure?.mayBeApplied ?? false }

    /// Whether the failure counts towards the maximum of attempts.
    package var counts: Bool {
        guard let failure else { return false }
        return switch failure.failureClass {
        case .transient, .unknown: true
        // A gateway may answer so because of this document alone, so it must not be repeated without end.
        case .throttled: failure.mayBeApplied
        default: failure.isStopOfRequest
        }
    }

    /// The failure of the whole delivery, except a refused TOKEN. If the reply has a result for each card and refuses all of them,
    /// this is the first refusal whose code no configured list has.
    package var failureOfAll: RemoteFailure? {
        if case .failed(let failure) = self { failure } else { self.unlisted?.first }
    }

    /// Whether the backend refuses the TOKEN or the form, so that it would refuse every card.
    package var isRefusalOfForm: Bool {
        if case .tokenExpired = self { true } else { self.failure?.isStopOfRequest ?? false }
    }

    /// The refusals by unlisted codes in a joint reply that refuses every card; `nil` for other outcomes.
    package var unlisted: [RemoteFailure]? {
        guard case .items(let items) = self else { return nil }
        let refusals = items.compactMap { if case .rejected(let failure) = $0 { failure } else { nil } }
        return refusals.count == items.count ? refusals.filter(\.isUnlisted) : nil
    }

    /// The refusal of the TOKEN, if any; a TOKEN that is refused for one member of a joint reply is refused for all.
    package var tokenRefusal: RemoteFailure? {
        if case .tokenExpired(let failure) = self { return failure }
        return self.items.lazy.compactMap { if case .notApplied(let failure) = $0 { failure } else { nil } }
            .first { $0.failureClass == .stop }
    }
}

extension DeliveryItemOutcome {
    fileprivate var acceptedCode: String? { if case .accepted(_, let code) = self { code } else { nil } }

    fileprivate var failure: RemoteFailure? {
        switch self {
        case .accepted: nil
        case .rejected(let failure), .notApplied(let failure), .unknown(let failure): failure
        }
    }
}

extension RemoteFailure {
    fileprivate var isStopOfRequest: Bool { self.failureClass == .stop && self.stopScope == .request }
}
