import Foundation
package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func claimPrepared(
        limit: Int,
        order: ClaimOrder,
        until expiry: Timestamp,
        now: Timestamp
    ) async throws -> [Card] {
        self.memory.change {
            $0.claim(.prepared, limit: limit, order: order, by: self.owner, until: expiry, now: now)
        }
    }

    package func preparedImage(of card: CardID) async throws -> PreparedImage {
        try self.memory.look { state in
            guard let image = state.cards[card]?.image else {
                throw StoreError(.notFound, "card \(card) has no prepared image")
            }
            return image
        }
    }

    package func confidential(of cards: [CardID]) async throws -> [Redacted<String>] {
        self.memory.look { state in
            cards.compactMap { state.cards[$0] }.flatMap { entry in
                (entry.reading.map { [$0] + $0.others } ?? []).flatMap(\.fields.all)
                    + [entry.card.metadata.expectedName, entry.card.metadata.expectedIDNumber].compactMap { $0 }
            }
        }
    }

    package func reading(for key: ReadingKey) async throws -> CardReading? {
        self.memory.look { state in
            state.cards.values.filter { $0.readingKey == key }.max { $0.readingOrder < $1.readingOrder }?.reading
        }
    }

    package func conclude(
        _ claimed: Card,
        as conclusion: VerificationConclusion,
        attempt: AttemptRecord?,
        now: Timestamp
    ) async throws -> Card {
        let card = claimed.id
        return try self.memory.change { state in
            let before = try state.entry(of: card).card
            guard before.stands(as: claimed) else {
                throw StoreError(
                    .conflict,
                    "card \(card) is not leased for verification any more; nothing was changed"
                )
            }
            if case .judged = conclusion, before.metadata != claimed.metadata { return before }
            let attempts = before.attempts
            if let attempt {
                state.cards[card]?.attempts.append(attempt)
                state.append(CardEvent(at: now, kind: "attempt", code: attempt.code), to: card)
                if attempt.mayHaveRevealed {
                    let origin = AccessOrigin.engine("\(self.owner)", purpose: AccessPurpose.verify)
                    state.note(.verify, of: card, by: origin, now: now)
                }
            }
            let owner = self.owner
            switch conclusion {
            case .judged(let reading, let key, let verdict, let warnings):
                state.keep(reading, for: key, of: card)
                try state.end(card, verdict.consequence, owner: owner, now: now)
                for warning in warnings { state.append(CardEvent(warning, at: now), to: card) }
            case .rejected(let reason, let message):
                try state.end(card, (.rejected, reason, message), owner: owner, now: now)
            case .failed(let reason, let message):
                try state.end(card, (.failed, reason, message), owner: owner, now: now)
                state.cards[card]?.card.attempts = attempts + (attempt == nil ? 0 : 1)
            case .retry(let time, let attempts):
                try state.postpone(card, in: .prepared, until: time, attempts: attempts, owner: owner)
            case .shrunk(let image):
                try state.postpone(card, in: .prepared, until: nil, attempts: 0, owner: owner)
                state.cards[card]?.image = image
                state.cards[card]?.card.isShrunk = true
                state.append(CardEvent(at: now, kind: "shrunk"), to: card)
            }
            if let attempt { state.note(attempt, of: [card], at: .verify, now: now) }
            return try state.entry(of: card).card
        }
    }
}

extension InMemoryState {
    fileprivate mutating func end(
        _ card: CardID,
        _ consequence: (state: CardState, reason: ReasonCode?, message: String?),
        owner: Int,
        now: Timestamp
    ) throws {
        try self.move(
            card,
            from: .prepared,
            to: consequence.state,
            leasedBy: owner,
            reason: consequence.reason,
            message: consequence.message,
            now: now
        )
    }

    fileprivate mutating func keep(_ reading: CardReading, for key: ReadingKey, of card: CardID) {
        self.readingCount += 1
        self.cards[card]?.reading = reading
        self.cards[card]?.readingKey = key
        self.cards[card]?.readingOrder = self.readingCount
        self.cards[card]?.card.side = reading.side
        self.cards[card]?.holder = reading.fields.number.flatMap { number in
            let raw = number.reveal()
            let text = (try? IDNumber.parse(raw).get())?.reveal() ?? raw
            return text.isEmpty ? nil : ContentDigest(of: Data(text.utf8)).bytes
        }
    }

    /// Leases due cards of a state: highest priority first, then intake order.
    mutating func claim(
        _ state: CardState,
        limit: Int,
        order: ClaimOrder = .usual,
        by owner: Int,
        until expiry: Timestamp,
        now: Timestamp
    ) -> [Card] {
        let due = self.cards.values
            .filter { $0.card.state == state && $0.lease == nil && ($0.card.nextAttemptAt ?? now) <= now }
            .map(\.card)
            .sorted { ($1.metadata.priority, $0.intakeOrder) < ($0.metadata.priority, $1.intakeOrder) }
        let picked = self.picked(from: due, limit: limit, order: order, at: .verify) { [$0.id] }
        for card in picked { self.cards[card.id]?.lease = Lease(owner: owner, expiry: expiry) }
        return picked
    }

    /// Puts a leased card off, in the state in which it is, and gives the lease back.
    mutating func postpone(
        _ card: CardID,
        in state: CardState,
        until time: Timestamp?,
        attempts: Int,
        owner: Int
    ) throws {
        var entry = try self.entry(of: card)
        guard entry.card.state == state, entry.lease?.owner == owner else {
            throw StoreError(.conflict, "card \(card) is not \(state) and leased here any more; nothing was changed")
        }
        entry.card.attempts += attempts
        entry.card.nextAttemptAt = time
        entry.lease = nil
        self.cards[card] = entry
    }
}

extension Verdict {
    fileprivate var consequence: (CardState, ReasonCode?, String?) {
        switch self {
        case .accepted: (.verified, nil, nil)
        case .rejected(let reason, let message): (.rejected, reason, message)
        case .held(let reason, let message): (.held, reason, message)
        }
    }
}
