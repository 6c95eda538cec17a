import IDCardCore

extension DeliverStage {
    /// Asks the gate whether a delivery may be sent now; `nil` if it was put off.
    func permit(_ delivery: Delivery, startedAt: Timestamp) async throws -> PacedCall? {
        let now = self.context.time.now()
        switch self.gate.begin(delivery.id.rawValue, isRetry: delivery.attempts > 0, at: now) {
        case .call(let call): return call
        case .putOff(let until):
            // Written down like an attempt that ended before it began; what an earlier one may have done must stay
            // known.
            let attempt = AttemptRecord(
                failureClass: delivery.mayHaveBeenReceived ? .unknown : .notSent,
                code: "put_off",
                httpStatus: nil,
                startedAt: startedAt
            )
            try await self.conclude(delivery, as: .retry(at: until, costsAttempt: false), attempt: attempt)
            return nil
        }
    }
}
