// What an outcome means to those that record it, repeat it and count it.
extension DeliveryOutcome {
    private var items: [DeliveryItemOutcome] { if case .items(let items) = self { items } else { [] } }

    /// The failure, if it is one of the delivery as a whole.
    package var failure: RemoteFailure? {
        switch self {
        case .accepted, .items: nil
        case .tokenExpired(let failure), .failed(let failure): failure
        }
    }

    /// The failure of the whole, or that of the first card that was not accepted.
    private var firstFailure: RemoteFailure? { self.failure ?? self.items.lazy.compactMap(\.failure).first }

    /// How the call ended; of several cards, how it ended for the first that was not accepted.
    package var failureClass: FailureClass { self.firstFailure?.failureClass ?? .accepted }

    /// Whether the backend took any card.
    package var isAccepted: Bool {
        if case .items(let items) = self { items.contains { $0.failure == nil } } else { self.failure == nil }
    }

    /// The failure that its attempt is recorded with: a joint reply that took no card tells as much of the endpoint as one
    /// for the whole.
    package var toldFailure: RemoteFailure? { self.isAccepted ? nil : self.firstFailure }

    /// The code of a reply that took everything; `nil` if it took its cards under several.
    package var acceptedCode: String? {
        if case .accepted(_, let code) = self { return code }
        let codes = Set(self.items.map(\.acceptedCode))
        return codes.count == 1 ? codes.first ?? nil : nil
    }

    /// Whether the backend may have applied the delivery all the same: every answer that does not prove the contrary.
    package var mayBeApplied: Bool { self.failure?.mayBeApplied ?? false }

    /// Whether the failure counts towards the most attempts.
    package var counts: Bool {
        guard let failure else { return false }
        return switch failure.failureClass {
        case .transient, .unknown: true
        // A gateway that gives up on one document answers so, too.
        case .throttled: failure.mayBeApplied
        default: failure.isStopOfRequest
        }
    }

    /// The failure of the delivery as a whole; a joint reply that refuses every card, some by a code of no list, is one.
    package var failureOfAll: RemoteFailure? {
        if case .failed(let failure) = self { failure } else { self.unlisted?.first }
    }

    /// Whether the backend refuses the TOKEN or the form, whatever card it is of.
    package var isRefusalOfForm: Bool {
        if case .tokenExpired = self { true } else { self.failure?.isStopOfRequest ?? false }
    }

    /// The refusals by codes of no list, if it is a joint reply that refuses every card.
    package var unlisted: [RemoteFailure]? {
        guard case .items(let items) = self else { return nil }
        let refusals = items.compactMap { if case .rejected(let failure) = $0 { failure } else { nil } }
        return refusals.count == items.count ? refusals.filter(\.isUnlisted) : nil
    }

    /// Why the TOKEN was refused for a member of a joint reply.
    package var refusedToken: RemoteFailure? {
        self.items.lazy.compactMap { if case .notApplied(let failure) = $0 { failure } else { nil } }
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
