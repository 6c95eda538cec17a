import CardModel

// What a joint reply says of single members.
extension OpenDelivery {
    static let unnamed = RemoteFailure(
        .unknown,
        code: "not_in_reply",
        message:
            "the backend's reply names other cards of the delivery but not this one; look at the backend, then resolve it"
    )

    /// Writes down what the backend says of one member.
    func settle(
        _ card: CardID,
        by item: DeliveryItemOutcome,
        retry: RetryTerms,
        store: CardStore,
        in tx: Transaction
    ) throws {
        switch item {
        case .accepted:
            try self.decide(card, in: tx)
            try self.deliver(card, store: store, in: tx)
        case .rejected(let failure) where !self.mayBeApplied:
            try self.decide(card, in: tx)
            let state: CardState = failure.isUnlisted ? .held : .rejected
            let reason: ReasonCode = failure.isUnlisted ? .retcodeUnlisted : .refusedByRemote
            try self.end(card, as: state, reason, failure, store: store, in: tx)
        case .notApplied(let failure) where !self.mayBeApplied:
            try self.decide(card, in: tx)
            try self.sendAway(card, for: failure, retry: retry, store: store, in: tx)
        case .rejected(let failure), .notApplied(let failure), .unknown(let failure):
            try tx.run("UPDATE delivery SET may_be_applied = 1 WHERE id = \(self.id)")
            try self.end(card, as: .held, .outcomeUnknown, failure, store: store, in: tx)
        }
    }

    /// A member that the backend does not take now goes again after its backoff, until its attempts are used up; a TOKEN that the
    /// backend refuses ends no card.
    private func sendAway(
        _ card: CardID,
        for failure: RemoteFailure,
        retry: RetryTerms,
        store: CardStore,
        in tx: Transaction
    ) throws {
        guard let row = try self.member(card, in: tx) else { return }
        let own: SQL = "SELECT delivery FROM delivery_card WHERE card = \(card)"
        let history =
            failure.failureClass == .transient
            ? try store.counting(.transient, after: row.history, stage: .deliver, own: own, now: self.now, in: tx)
            : row.history.repeated(at: self.now)
        try tx.run("UPDATE card SET \(history.assignments) WHERE id = \(card)")
        if history.isUsedUp(by: retry.maxAttempts) {
            try self.end(card, as: .failed, .attemptsExhausted, failure, store: store, in: tx)
        } else {
            let due = self.now.advanced(by: retry.delay)
            try self.release(card, alone: false, dueAt: due, store: store, in: tx)
        }
    }
}
