package import CardModel

/// How a delivery is repeated and judged.
package struct DeliveryTerms: Sendable {
    /// How failures that count are repeated.
    package var retry: RetryTerms
    /// What is done about one that may have been applied.
    package var onUnknown: UnknownPolicy
    /// Whether its form would be another one now: another TOKEN, other fields.
    package var isOutdated: Bool

    /// Describes terms.
    package init(retry: RetryTerms, onUnknown: UnknownPolicy, isOutdated: Bool = false) {
        self.retry = retry
        self.onUnknown = onUnknown
        self.isOutdated = isOutdated
    }
}

extension CardStore {
    /// Writes down how an attempt of a delivery ended, and what follows for its members.
    ///
    /// - Returns: where each member stands now.
    @discardableResult
    package func conclude(
        _ job: DeliveryJob,
        with outcome: DeliveryOutcome,
        terms: DeliveryTerms,
        now: Timestamp
    ) async throws -> [CardChange] {
        let (id, attempt) = (job.id, job.attempt)
        return try await self.write(at: now, locking: Array(job.numbers)) { tx in
            var delivery = try OpenDelivery(id, store: self, in: tx)
            let isCurrent = try self.endAttempt(
                attempt,
                after: outcome.toldFailure,
                acceptedAs: outcome.acceptedCode,
                in: tx
            )
            if delivery.isDecided(by: outcome, isCurrent: isCurrent) {
                try delivery.apply(outcome, terms: terms)
            }
            return try delivery.memberStates
        }
    }
}

extension DeliveryOutcome {
    /// The failure, if it is one of the delivery as a whole.
    var failure: RemoteFailure? {
        switch self {
        case .accepted, .items: nil
        case .tokenExpired(let failure), .failed(let failure): failure
        }
    }

    /// The code of a reply that took everything; `nil` if it took its cards under several.
    fileprivate var acceptedCode: String? {
        switch self {
        case .accepted(_, let code): return code
        case .items(let items):
            let codes = Set(items.map(\.acceptedCode))
            return codes.count == 1 ? codes.first ?? nil : nil
        case .tokenExpired, .failed: return nil
        }
    }

    /// The failure that its attempt is written down with: a joint reply that took no card tells as much of the endpoint as one
    /// for the whole.
    var toldFailure: RemoteFailure? {
        guard case .items(let items) = self else { return self.failure }
        let failures = items.map(\.failure)
        return failures.contains(nil) ? nil : failures.first ?? nil
    }

    /// Whether the backend may have applied the delivery all the same: every answer that does not prove the contrary.
    var mayBeApplied: Bool { self.failure?.mayBeApplied ?? false }

    /// Whether the failure counts towards the most attempts.
    var counts: Bool {
        guard let failure else { return false }
        switch failure.failureClass {
        case .transient, .unknown: return true
        case .stop: return failure.stopScope == .request
        // A gateway that gives up on one document answers so, too.
        case .throttled: return failure.mayBeApplied
        default: return false
        }
    }
}

extension DeliveryItemOutcome {
    fileprivate var acceptedCode: String? {
        guard case .accepted(_, let code) = self else { return nil }
        return code
    }

    fileprivate var failure: RemoteFailure? {
        switch self {
        case .accepted: nil
        case .rejected(let failure), .notApplied(let failure), .unknown(let failure): failure
        }
    }
}
