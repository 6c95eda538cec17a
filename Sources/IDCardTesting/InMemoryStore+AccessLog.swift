package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func record(_ action: AccessAction, of card: CardID?, by origin: AccessOrigin, now: Timestamp) async throws
    {
        try self.memory.change { state in
            if let card { _ = try state.entry(of: card) }
            state.note(action, of: card, by: origin, now: now)
        }
    }

    package func accessLog(of card: CardID?, after number: Int64, limit: Int) async throws -> [AccessLine] {
        try self.memory.look { state in
            let lines = state.accessLog.filter { $0.number > number && (card == nil || $0.card == card) }
            if let card, lines.isEmpty { _ = try state.entry(of: card) }
            return Array(lines.prefix(max(0, limit)))
        }
    }
}

extension InMemoryState {
    /// Adds a line to the access log.
    mutating func note(_ action: AccessAction, of card: CardID?, by origin: AccessOrigin, now: Timestamp) {
        let number = Int64(self.accessLog.count + 1)
        self.accessLog.append(AccessLine(number: number, at: now, action: action, origin: origin, card: card))
    }

    /// Adds the line of a card whose lease ends without a conclusion: its image may have been sent.
    mutating func noteInterruptedCall(of entry: CardEntry, now: Timestamp) {
        guard entry.card.state == .prepared, let lease = entry.lease else { return }
        let origin = AccessOrigin.engine("\(lease.owner)", purpose: AccessPurpose.verifyInterrupted)
        self.note(.verify, of: entry.card.id, by: origin, now: now)
    }
}
