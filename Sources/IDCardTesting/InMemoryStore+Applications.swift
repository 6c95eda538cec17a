package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func applicationsWithVerifiedCards() async throws -> [BusinessNumber] {
        self.memory.look(\.numbersWithVerifiedCards)
    }

    package func applications(
        changedSince mark: Int64?
    ) async throws -> (numbers: [BusinessNumber], mark: Int64) {
        self.memory.look { state in
            let verified = state.cards.values.filter { $0.card.state == .verified }
            let numbers = verified.filter { entry in
                guard let mark else { return true }
                let isBlocked = entry.card.reason.map(ReasonCode.blocking.contains) == true
                return !isBlocked || state.changes[entry.card.metadata.businessNumber, default: 0] > mark
            }
            return (
                Set(numbers.map(\.card.metadata.businessNumber)).sorted { $0.rawValue < $1.rawValue },
                state.lastChange
            )
        }
    }

    package func awaitsVerification(_ businessNumber: BusinessNumber) async throws -> Bool {
        self.memory.look { state in
            state.cards.values.contains {
                $0.card.metadata.businessNumber == businessNumber && $0.card.state.awaitsVerification
            }
        }
    }

    package func snapshot(of businessNumber: BusinessNumber) async throws -> ApplicationSnapshot {
        self.memory.change { state in
            let snapshot = state.snapshot(of: businessNumber)
            state.cardsLookedAt += snapshot.cards.count
            return snapshot
        }
    }

    package func apply(
        _ change: ApplicationChange,
        basis: [ApplicationSnapshot],
        now: Timestamp
    ) async throws -> [CardID: Card]? {
        try self.memory.change { state in
            guard basis.allSatisfy({ state.snapshot(of: $0.businessNumber) == $0 }) else { return nil }
            let known = Set(basis.flatMap(\.cards).map(\.id))
            let numbers = Set(basis.map(\.businessNumber))
            guard change.cards.allSatisfy(known.contains),
                change.deliveries.allSatisfy({ numbers.isSuperset(of: $0.businessNumbers) })
            else {
                throw StoreError(
                    .conflict,
                    "the change names something of another business number; nothing was changed"
                )
            }
            for card in change.superseded {
                try state.move(card, from: .verified, to: .superseded, reason: .superseded, now: now)
            }
            for card in change.held {
                try state.move(
                    card,
                    from: .verified,
                    to: .held,
                    reason: change.heldReason,
                    message: change.heldMessage,
                    now: now
                )
            }
            for (card, finding) in change.refused {
                try state.move(
                    card,
                    from: .verified,
                    to: finding.severity == .reject ? .rejected : .held,
                    reason: finding.reason,
                    message: finding.message,
                    now: now
                )
            }
            for (card, warnings) in change.warnings {
                for warning in warnings { state.append(CardEvent(warning, at: now), to: card) }
            }
            for delivery in change.deliveries { try state.form(delivery, now: now) }
            for (card, reason) in change.waitReasons { try state.explainWait(of: card, by: reason, now: now) }
            var cards: [CardID: Card] = [:]
            for card in change.cards { cards[card] = try state.entry(of: card).card }
            return cards
        }
    }
}

extension InMemoryState {
    func snapshot(of businessNumber: BusinessNumber) -> ApplicationSnapshot {
        let cards = self.cards.values
            .filter {
                $0.card.metadata.businessNumber == businessNumber && $0.card.state != .erased
                    && $0.card.state != .superseded
            }
            .sorted { ($0.card.intakeOrder, $0.card.id.rawValue) < ($1.card.intakeOrder, $1.card.id.rawValue) }
            .map { entry in
                ApplicationCard(
                    id: entry.card.id,
                    state: entry.card.state,
                    reason: entry.card.reason,
                    side: entry.card.side ?? entry.card.metadata.side,
                    holder: entry.holder,
                    intakeOrder: entry.card.intakeOrder,
                    userNumber: entry.card.metadata.userNumber,
                    changedAt: entry.card.changedAt,
                    nextAttemptAt: entry.card.state == .verified ? entry.card.nextAttemptAt : nil,
                    isAccepted: entry.isAccepted,
                    isInKeptDelivery: entry.card.state == .held && entry.card.delivery != nil,
                    goesAlone: entry.goesAlone
                )
            }
        var snapshot = ApplicationSnapshot(businessNumber: businessNumber, cards: cards)
        snapshot.awaited = self.awaitedInputs(of: businessNumber)
        snapshot.hasErasedFront = snapshot.asksForErasedFronts && self.erasedFronts.contains(businessNumber)
        return snapshot
    }

    fileprivate mutating func form(_ delivery: Delivery, now: Timestamp) throws {
        guard self.deliveries[delivery.id] == nil else {
            throw StoreError(.corrupt, "there is a delivery \(delivery.id) already; nothing was changed")
        }
        let priorities = try delivery.members.map { try self.entry(of: $0).card.metadata.priority }
        for card in delivery.members {
            let attempts = try self.entry(of: card).card.attempts
            try self.move(card, from: .verified, to: .delivering, now: now)
            self.cards[card]?.card.delivery = delivery.id
            self.cards[card]?.card.attempts = attempts
        }
        self.deliveries[delivery.id] = DeliveryEntry(
            delivery: delivery,
            number: self.deliveries.count,
            priority: priorities.max() ?? 0,
            createdAt: now
        )
    }

    mutating func explainWait(of card: CardID, by reason: ReasonCode?, now: Timestamp) throws {
        guard try self.entry(of: card).card.state == .verified else {
            throw StoreError(.conflict, "card \(card) is not verified any more; nothing was changed")
        }
        self.cards[card]?.card.reason = reason
        self.append(CardEvent(at: now, kind: "waiting", code: reason?.rawValue), to: card)
    }
}
