package import CardModel

/// How a delivery is repeated and judged.
package struct DeliveryTerms: Sendable {
    /// How failures that count are repeated.
    package var retry: RetryTerms
    /// What is done about one that may have been applied.
    package var onUnknown: UnknownPolicy
    /// Whether its form would be another one now: another TOKEN, other fields.
    package var isOutdated: Bool

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
            // Its last card was erased meanwhile.
            guard try tx.exists("SELECT 1 FROM delivery WHERE id = \(id)") else { return [] }
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
