package import CardModel
import Foundation

// What follows from an attempt of a delivery, written down in one transaction.
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
        return try await Self.translating {
            try await self.database.write(locking: job.numbers.map(\.rawValue).sorted()) { tx in
                var delivery = try OpenDelivery(id, store: self, now: now, in: tx)
                let isCurrent = try self.endAttempt(
                    attempt,
                    as: outcome.failureClass,
                    code: outcome.toldFailure?.code,
                    httpStatus: outcome.toldFailure?.httpStatus,
                    now: now,
                    in: tx
                )
                if delivery.isSettled(by: outcome, isCurrent: isCurrent) {
                    if outcome.counts { try delivery.countFailure(outcome.failureClass, store: self, in: tx) }
                    let settlement = DeliverySettlement(outcome, standing: delivery.standing, terms: terms)
                    if outcome.failure?.failureClass == .unknown { try delivery.noteMayBeApplied(in: tx) }
                    try delivery.apply(settlement, retry: terms.retry, store: self, in: tx)
                }
                return try delivery.members.map { CardChange(try CardRow.require($0, in: tx)) }
            }
        }
    }
}
