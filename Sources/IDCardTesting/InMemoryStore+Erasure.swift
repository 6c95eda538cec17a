package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func erase(
        _ cards: [CardID],
        under retention: Retention?,
        reason: ReasonCode,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> [ErasureCertificate] {
        try self.memory.change { state in
            for card in cards { _ = try state.entry(of: card) }
            for card in cards where state.certificates[card] == nil {
                let known = try state.entry(of: card).card
                if let retention, !retention.isOver(for: known.state, since: known.changedAt, now: now) { continue }
                try state.erase(card, reason: reason, by: origin, now: now)
            }
            return cards.compactMap { state.certificates[$0] }
        }
    }

    /// Nothing is ever cut short in memory.
    package func continueErasures(within time: Duration?) async throws -> ErasureProgress {
        self.memory.change { state in
            state.finishedErasures += 1
            return .finished
        }
    }

    package func expired(under retention: Retention, limit: Int, now: Timestamp) async throws -> [CardID] {
        self.memory.change { $0.hasLookedForExpired = true }
        return try self.memory.look { state in
            if let error = state.retentionError { throw error }
            let expired = retention.limits.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { limit in
                state.cards.values.map(\.card)
                    .filter { $0.state == limit.key && $0.changedAt.advanced(by: limit.value) <= now }
                    .sorted { $0.changedAt < $1.changedAt }
            }
            return expired.prefix(max(0, limit)).map(\.id)
        }
    }
}

extension InMemoryState {
    fileprivate mutating func erase(
        _ card: CardID,
        reason: ReasonCode,
        by origin: AccessOrigin,
        now: Timestamp
    ) throws {
        let entry = try self.entry(of: card)
        guard entry.card.state != .erased else { return }
        let deliveries = self.deliveries.values.filter { $0.delivery.members.contains(card) }
            .sorted { $0.number < $1.number }
        var certificate = ErasureCertificate(
            card: card,
            erasedAt: now,
            reason: reason,
            origin: origin,
            sourceFileCount: self.files.values.count { $0.card == card },
            verifier: .judging(
                entry.attempts,
                isDone: false,
                isUnderWay: entry.lease != nil && entry.card.state == .prepared
            ),
            backend: .judging(
                deliveries.flatMap(\.ended),
                isDone: entry.card.state == .delivered,
                isUnderWay: deliveries.contains(where: \.hasOpenAttempt)
            ),
            deliveries: deliveries.map(\.delivery.id.rawValue)
        )
        self.noteInterruptedCall(of: entry, now: now)
        for delivery in deliveries { try self.takeOut(card, of: delivery, now: now) }
        self.bury(card, reason: reason, now: now)
        try self.noteErasedFront(entry, now: now)
        self.keepReplaced(by: entry.card)
        let number = entry.card.metadata.businessNumber
        for other in self.cards.values
        where other.card.metadata.businessNumber == number && other.card.state == .verified
            && other.card.reason.map(ReasonCode.blocking.contains) == true
        {
            try self.explainWait(of: other.card.id, by: nil, now: now)
        }
        self.forgetFailures(of: card)
        self.note(.erase, of: card, by: origin, now: now)
        certificate.accessNumber = Int64(self.accessLog.count)
        certificate.isScrubbed = true
        self.certificates[card] = certificate
    }

    private mutating func bury(_ id: CardID, reason: ReasonCode, now: Timestamp) {
        guard let before = self.cards[id] else { return }
        var card = Card(
            id: id,
            state: .erased,
            reason: reason,
            metadata: CardMetadata(businessNumber: .erased),
            intakeOrder: before.card.intakeOrder,
            createdAt: before.card.createdAt,
            changedAt: now
        )
        card.message = nil
        var entry = CardEntry(card: card, sourceDigest: before.sourceDigest)
        (entry.events, entry.attempts) = (before.events, before.attempts)
        self.cards[id] = entry
        self.append(CardEvent(at: now, kind: "erased", state: .erased, code: reason.rawValue), to: id)
    }

    private mutating func takeOut(_ card: CardID, of delivery: DeliveryEntry, now: Timestamp) throws {
        var entry = delivery
        guard entry.phase == .open || entry.phase == .held else { return }
        let mayBeThere = entry.mayHaveBeenReceived
        if entry.hasOpenAttempt {
            entry.ended.append(
                AttemptRecord(failureClass: .unknown, code: "erased", httpStatus: nil, startedAt: now)
            )
            entry.hasOpenAttempt = false
            self.tellMembers(of: entry, code: "erased", now: now)
        }
        (entry.phase, entry.lease, entry.nextAttemptAt) = (.dissolved, nil, nil)
        let others = self.actingMembers(of: entry).filter { $0 != card }
        entry.empty()
        self.deliveries[entry.delivery.id] = entry
        for other in others {
            try self.move(
                other,
                from: .delivering,
                to: mayBeThere ? .held : .verified,
                reason: mayBeThere ? .outcomeUnknown : nil,
                message: mayBeThere ? "another card of its delivery was erased" : nil,
                code: "erased",
                now: now
            )
            self.cards[other]?.card.delivery = nil
        }
        guard mayBeThere else { return }
        for other in entry.delivery.members where other != card {
            guard self.cards[other]?.card.state == .held, self.cards[other]?.card.delivery == entry.delivery.id
            else { continue }
            self.cards[other]?.card.reason = .outcomeUnknown
            self.cards[other]?.card.delivery = nil
        }
    }
}

extension InMemoryState.DeliveryEntry {
    /// Leaves nothing of what was sent.
    mutating func empty() {
        self.delivery.parts = []
        self.delivery.boundary = ""
    }
}

extension ErasureCertificate.Remote {
    fileprivate static func judging(
        _ attempts: [AttemptRecord],
        isDone: Bool,
        isUnderWay: Bool
    ) -> ErasureCertificate.Remote {
        let classes = Set(attempts.map(\.failureClass))
        if isDone || classes.contains(.accepted) { return .holds }
        if isUnderWay || !classes.isDisjoint(with: [.unknown, .transient]) { return .mayHold }
        return classes.subtracting([.notSent]).isEmpty ? .notSent : .refused
    }
}
