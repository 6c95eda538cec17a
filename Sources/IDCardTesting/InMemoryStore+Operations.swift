package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func retry(_ card: CardID, by origin: AccessOrigin, now: Timestamp) async throws -> Card {
        try self.memory.change { state in
            let entry = try state.entry(of: card)
            let known = entry.card
            try OperatorRules.requireRetry(
                of: known,
                hasImage: entry.image != nil && entry.lease == nil,
                newerIsDelivered: state.newerIsDelivered(than: known),
                delivery: state.standing(of: known.delivery)
            )
            if known.state == .held, let delivery = known.delivery {
                state.closeKept(delivery, as: .dissolved)
                for id in state.cards.keys where state.cards[id]?.card.delivery == delivery {
                    state.cards[id]?.card.delivery = nil
                }
            }
            try state.move(card, from: known.state, to: .prepared, kind: "retried", now: now)
            state.cards[card]?.card.side = nil
            state.cards[card]?.card.delivery = nil
            state.cards[card]?.holder = nil
            state.cards[card]?.isAccepted = false
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
            let known = try state.entry(of: card).card
            try OperatorRules.requireResolution(
                of: known,
                as: resolution,
                delivery: state.standing(of: known.delivery)
            )
            var cards = [card]
            switch (resolution, known.delivery) {
            case (.resend, let delivery?): cards = try state.reopen(delivery, now: now)
            case (.delivered, let delivery):
                try state.move(card, from: .held, to: .delivered, kind: "resolved", now: now)
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
                if let delivery { state.closeIfSettled(delivery) }
            default:
                try state.move(card, from: .held, to: .verified, kind: "resolved", now: now)
                state.cards[card]?.isAccepted = true
                state.cards[card]?.card.delivery = nil
            }
            for card in cards { state.note(.resolve, of: card, by: origin, now: now) }
            return try cards.map { try state.entry(of: $0).card }
        }
    }
}

extension InMemoryState {
    fileprivate func newerIsDelivered(than card: Card) -> Bool {
        guard let side = card.side ?? card.metadata.side else { return false }
        return self.cards.values.map(\.card).contains { other in
            other.state == .delivered && other.intakeOrder > card.intakeOrder
                && other.metadata.businessNumber == card.metadata.businessNumber
                && (other.side ?? other.metadata.side) == side
        }
    }

    fileprivate func standing(of delivery: DeliveryID?) -> OperatorRules.DeliveryStanding {
        guard let delivery, let entry = self.deliveries[delivery], entry.phase == .held else { return .none }
        return entry.mayHaveBeenReceived ? .keptUnknown : .kept
    }

    fileprivate mutating func reopen(_ delivery: DeliveryID, now: Timestamp) throws -> [CardID] {
        guard var entry = self.deliveries[delivery] else {
            throw StoreError(.notFound, "there is no delivery \(delivery)")
        }
        (entry.phase, entry.delivery.attempts, entry.nextAttemptAt) = (.open, 0, nil)
        entry.decidedAttempts = entry.ended.count
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
