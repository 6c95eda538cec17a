package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func retry(_ card: CardID, by origin: AccessOrigin, now: Timestamp) async throws -> Card {
        try self.memory.change { state in
            let entry = try state.entry(of: card)
            let known = entry.card
            if [.fetching, .received, .prepared, .verified].contains(known.state), entry.lease == nil,
                let due = known.nextAttemptAt, due > now
            {
                state.cards[card]?.card.nextAttemptAt = nil
                state.append(CardEvent(at: now, kind: "retried"), to: card)
                state.note(.retry, of: card, by: origin, now: now)
                return try state.entry(of: card).card
            }
            try OperatorRules.requireRetry(of: known, under: state.circumstances(of: entry))
            if known.state == .delivering, let delivery = known.delivery {
                try state.putAside(delivery, for: card, now: now)
            }
            if [.held, .delivering].contains(known.state), let delivery = known.delivery {
                state.closeKept(delivery, as: .dissolved)
                for id in state.cards.keys where state.cards[id]?.card.delivery == delivery {
                    state.cards[id]?.card.delivery = nil
                }
            }
            try state.move(
                card,
                from: known.state == .delivering ? .held : known.state,
                to: entry.image != nil ? .prepared : entry.fetch != nil ? .fetching : .received,
                kind: "retried",
                now: now
            )
            state.cards[card]?.card.side = nil
            state.cards[card]?.card.delivery = nil
            state.cards[card]?.holder = nil
            state.cards[card]?.isAccepted = false
            state.cards[card]?.goesAlone = false
            state.note(.retry, of: card, by: origin, now: now)
            return try state.entry(of: card).card
        }
    }

    package func resolve(
        _ card: CardID,
        as resolution: Resolution,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> [Card] {
        try self.memory.change { state in
            let entry = try state.entry(of: card)
            let known = entry.card
            try OperatorRules.requireResolution(
                of: known,
                as: resolution,
                under: state.circumstances(of: entry)
            )
            var cards = [card]
            if known.state == .delivering, let delivery = known.delivery {
                if resolution == .resend {
                    cards = state.restart(delivery, now: now)
                    for card in cards { state.note(.resolve, of: card, by: origin, now: now) }
                    return try cards.map { try state.entry(of: $0).card }
                }
                try state.putAside(delivery, for: card, now: now)
            }
            switch (resolution, known.delivery) {
            case (.resend, let delivery?): cards = try state.reopen(delivery, now: now)
            case (.delivered, let delivery):
                try state.move(card, from: .held, to: .delivered, kind: "resolved", now: now)
                state.dropSource(of: card)
                if let delivery { state.closeIfSettled(delivery) }
            case (.reject, let delivery):
                try state.move(
                    card,
                    from: .held,
                    to: .rejected,
                    reason: .rejectedByOperator,
                    kind: "resolved",
                    now: now
                )
                state.dropSource(of: card)
                if let delivery { state.closeIfSettled(delivery) }
            default:
                try state.move(card, from: .held, to: .verified, kind: "resolved", now: now)
                state.cards[card]?.isAccepted = true
                if known.isHeldForFront { state.cards[card]?.goesAlone = true }
                state.cards[card]?.card.delivery = nil
                if let delivery = known.delivery { state.closeIfSettled(delivery) }
            }
            for card in cards { state.note(.resolve, of: card, by: origin, now: now) }
            return try cards.map { try state.entry(of: $0).card }
        }
    }
}

extension InMemoryState {
    fileprivate func circumstances(of entry: CardEntry) -> OperatorRules.Circumstances {
        let standing = self.standing(of: entry.card.delivery)
        var together = [entry.card]
        if standing.canBeSent {
            together = self.cards.values.map(\.card).filter {
                $0.state == .held && $0.delivery == entry.card.delivery
            }
        }
        return OperatorRules.Circumstances(
            hasImage: entry.image != nil && entry.lease == nil,
            hasSource: entry.image == nil && (entry.fetch != nil || !entry.pieces.isEmpty),
            wasRead: entry.reading != nil,
            newerIsDelivered: together.contains { self.hasNewer(than: $0, in: .delivered) },
            newerIsDelivering: together.contains { self.hasNewer(than: $0, in: .delivering) },
            isReplaced: self.isReplaced(entry.card),
            mayBeAtBackend: self.mayBeAtBackend(entry.card.id),
            delivery: standing
        )
    }

    /// Whether the backend may hold a card by any delivery that it was ever a member of.
    func mayBeAtBackend(_ card: CardID) -> Bool {
        self.deliveries.values.contains { $0.delivery.members.contains(card) && $0.mayHaveBeenReceived }
    }

    private func hasNewer(than card: Card, in state: CardState) -> Bool {
        guard let side = card.side ?? card.metadata.side else { return false }
        return self.cards.values.map(\.card).contains { other in
            other.state == state && other.intakeOrder > card.intakeOrder
                && other.metadata.businessNumber == card.metadata.businessNumber
                && (other.side ?? other.metadata.side) == side
        }
    }

    private func standing(of delivery: DeliveryID?) -> OperatorRules.DeliveryStanding {
        guard let delivery, let entry = self.deliveries[delivery] else { return .none }
        if entry.phase == .open, entry.lease == nil, self.pauses[.deliver] != nil {
            return entry.mayHaveBeenReceived ? .stoppedUnknown : .stopped
        }
        guard entry.phase == .held else { return .none }
        let isWhole = entry.delivery.members.allSatisfy { id in
            self.cards[id].map {
                ($0.card.state == .held || $0.card.state == .delivered) && $0.card.delivery == delivery
            }
                ?? false
        }
        guard isWhole else { return .keptApart }
        return entry.mayHaveBeenReceived ? .keptUnknown : .kept
    }

    fileprivate mutating func reopen(_ delivery: DeliveryID, now: Timestamp) throws -> [CardID] {
        guard var entry = self.deliveries[delivery] else {
            throw StoreError(.notFound, "there is no delivery \(delivery)")
        }
        (entry.phase, entry.delivery.attempts, entry.nextAttemptAt) = (.open, 0, nil)
        entry.decidedAttempts = entry.ended.count
        entry.resendOrders += 1
        self.deliveries[delivery] = entry
        let cards = entry.delivery.members.filter {
            self.cards[$0]?.card.state == .held && self.cards[$0]?.card.delivery == delivery
        }
        for card in cards {
            try self.move(
                card,
                from: .held,
                to: .delivering,
                code: Resolution.resend.rawValue,
                kind: "resolved",
                now: now
            )
        }
        return cards
    }

    fileprivate mutating func putAside(_ delivery: DeliveryID, for card: CardID, now: Timestamp) throws {
        guard var entry = self.deliveries[delivery] else {
            throw StoreError(.notFound, "there is no delivery \(delivery)")
        }
        let mayBeThere = entry.mayHaveBeenReceived
        if entry.hasOpenAttempt {
            entry.ended.append(
                AttemptRecord(failureClass: .unknown, code: "interrupted", httpStatus: nil, startedAt: now)
            )
            entry.hasOpenAttempt = false
            self.tellMembers(of: entry, code: "interrupted", now: now)
        }
        entry.phase = .held
        self.deliveries[delivery] = entry
        for member in self.actingMembers(of: entry) {
            let goesOn = member != card && !mayBeThere
            try self.move(
                member,
                from: .delivering,
                to: goesOn ? .verified : .held,
                reason: goesOn ? nil : mayBeThere ? .outcomeUnknown : .attemptsExhausted,
                now: now
            )
            if goesOn { self.cards[member]?.card.delivery = nil }
        }
    }

    fileprivate mutating func restart(_ delivery: DeliveryID, now: Timestamp) -> [CardID] {
        guard var entry = self.deliveries[delivery] else { return [] }
        (entry.delivery.attempts, entry.nextAttemptAt) = (0, nil)
        entry.decidedAttempts = entry.ended.count
        entry.resendOrders += 1
        self.deliveries[delivery] = entry
        let members = self.actingMembers(of: entry)
        for card in members {
            self.forgetFailures(of: card)
            self.cards[card]?.card.attempts = 0
            self.cards[card]?.card.nextAttemptAt = nil
            self.append(
                CardEvent(at: now, kind: "resolved", state: .delivering, code: Resolution.resend.rawValue),
                to: card
            )
        }
        return members
    }

    fileprivate mutating func closeIfSettled(_ delivery: DeliveryID) {
        let states = (self.deliveries[delivery]?.delivery.members ?? [])
            .compactMap { self.cards[$0]?.card }
            .filter { $0.delivery == delivery }
            .map(\.state)
        guard !states.contains(.held) else { return }
        self.closeKept(delivery, as: OperatorRules.endsDelivered(states) ? .delivered : .rejected)
    }

    fileprivate mutating func closeKept(_ delivery: DeliveryID, as phase: DeliveryPhase) {
        guard var entry = self.deliveries[delivery], entry.phase == .held else { return }
        entry.phase = phase
        entry.empty()
        self.deliveries[delivery] = entry
    }
}
