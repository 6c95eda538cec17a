import IDCardCore

extension DeliverStage {
    /// Asks the gate whether a delivery may be sent now; `nil` if it was put off.
    func permit(_ delivery: Delivery) async throws -> PacedCall? {
        let now = self.context.time.now()
        switch self.gate.begin(delivery.id.rawValue, isRetry: delivery.attempts > 0, at: now) {
        case .call(let call): return call
        case .putOff(let until):
            try await self.context.store.postpone(delivery.id, after: delivery.lastAttempt, until: until)
            self.context.board.announce(.deliver)
            return nil
        }
    }
}
