import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func retry(_ card: CardID, by origin: AccessOrigin, now: Timestamp) async throws -> Card {
        try await self.writer.write { db in
            let known = try self.requireCard(card, in: db)
            if try self.isDueAtOnce(known, by: origin, now: now, in: db) { return try self.requireCard(card, in: db) }
            try OperatorRules.requireRetry(of: known, under: try self.circumstances(of: known, in: db))
            // It was surely not received: what becomes of its other members is decided for each of them.
            if known.state == .held, let delivery = known.delivery { try self.dissolveKept(delivery, now: now, in: db) }
            if known.state == .delivering, let delivery = known.delivery {
                try self.putAside(delivery, for: card, now: now, in: db)
                try self.dissolveKept(delivery, now: now, in: db)
            }
            let hasImage = try self.hasImage(card, in: db)
            try self.perform(
                CardTransition(
                    card: card,
                    from: known.state == .delivering ? .held : known.state,
                    to: hasImage ? .prepared : try self.stateOfSource(of: card, in: db),
                    kind: "retried",
                    now: now
                ),
                in: db
            )
            try db.execute(cached: IntakeSQL.forgetVerdict, arguments: [card.rawValue])
            try self.chain.append(.retry, of: card, by: origin, now: now, in: db)
            return try self.requireCard(card, in: db)
        }
    }

    /// Lets a card that waits for its next attempt go at once; `false`, and nothing is changed, if it does not wait.
    private func isDueAtOnce(_ card: Card, by origin: AccessOrigin, now: Timestamp, in db: Database) throws -> Bool {
        try db.execute(cached: OperationsSQL.endWait, arguments: [card.id.rawValue, now.millisecondsSinceEpoch])
        guard db.changesCount == 1 else { return false }
        try self.append(CardEvent(at: now, kind: "retried"), to: card.id, in: db)
        try self.chain.append(.retry, of: card.id, by: origin, now: now, in: db)
        return true
    }

    package func resolve(
        _ card: CardID,
        as resolution: Resolution,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> [Card] {
        try await self.writer.write { db in
            let known = try self.requireCard(card, in: db)
            try OperatorRules.requireResolution(
                of: known,
                as: resolution,
                under: try self.circumstances(of: known, in: db)
            )
            var cards = [card]
            if known.state == .delivering, let delivery = known.delivery {
                if resolution == .resend {
                    cards = try self.restart(delivery, now: now, in: db)
                    for card in cards { try self.chain.append(.resolve, of: card, by: origin, now: now, in: db) }
                    return try cards.map { try self.requireCard($0, in: db) }
                }
                try self.putAside(delivery, for: card, now: now, in: db)
            }
            switch (resolution, known.delivery) {
            case (.resend, let delivery?): cards = try self.reopen(delivery, now: now, in: db)
            case (.delivered, let delivery), (.reject, let delivery):
                try self.settle(card, as: resolution == .reject ? .rejected : .delivered, now: now, in: db)
                if let delivery { try self.closeIfSettled(delivery, now: now, in: db) }
            default:
                try self.settle(card, as: .verified, now: now, in: db)
                try db.execute(
                    cached: "UPDATE card SET is_accepted = 1, delivery = NULL WHERE id = ?",
                    arguments: [card.rawValue]
                )
                if known.isHeldForFront { try db.execute(cached: FrontSQL.letGoAlone, arguments: [card.rawValue]) }
                // Kept without being of use to anybody once its last held member has left it.
                if let delivery = known.delivery { try self.closeIfSettled(delivery, now: now, in: db) }
            }
            for card in cards { try self.chain.append(.resolve, of: card, by: origin, now: now, in: db) }
            return try cards.map { try self.requireCard($0, in: db) }
        }
    }
}

// MARK: - Steps within one transaction

extension SandboxStore {
    private func circumstances(of card: Card, in db: Database) throws -> OperatorRules.Circumstances {
        let id = card.id.rawValue
        let standing = try self.standing(of: card.delivery, in: db)
        // What is sent again takes all its held members along.
        var together = [card]
        if standing.canBeSent, let delivery = card.delivery {
            together = try String.fetchAll(db, cached: OperationsSQL.heldMembers, arguments: [delivery.rawValue])
                .map { try self.requireCard(CardID(rawValue: $0), in: db) }
        }
        let hasImage = try self.hasImage(card.id, in: db)
        return OperatorRules.Circumstances(
            hasImage: hasImage,
            hasSource: try !hasImage && self.hasSource(card.id, in: db),
            wasRead: try Bool.fetchOne(db, cached: OperationsSQL.wasRead, arguments: [id]) ?? false,
            newerIsDelivered: try together.contains { try self.hasNewer(than: $0, in: .delivered, db) },
            newerIsDelivering: try together.contains { try self.hasNewer(than: $0, in: .delivering, db) },
            isReplaced: try card.mayComeBack && self.isReplaced(card, in: db),
            mayBeAtBackend: try self.mayBeAtBackend(card.id, in: db),
            delivery: standing
        )
    }

    /// Whether the image of a card is there and nobody works on the card.
    private func hasImage(_ card: CardID, in db: Database) throws -> Bool {
        try Bool.fetchOne(db, cached: IntakeSQL.canBeJudgedAgain, arguments: [card.rawValue]) ?? false
    }

    /// Whether the backend may hold a card by any delivery that it was ever a member of.
    func mayBeAtBackend(_ card: CardID, in db: Database) throws -> Bool {
        try Bool.fetchOne(db, cached: OperationsSQL.mayBeAtBackend, arguments: [card.rawValue]) ?? false
    }

    private func hasNewer(than card: Card, in state: CardState, _ db: Database) throws -> Bool {
        guard let side = card.side ?? card.metadata.side else { return false }
        return try Bool.fetchOne(
            db,
            cached: OperationsSQL.newerInState,
            arguments: [card.metadata.businessNumber.rawValue, card.intakeOrder, state.rawValue, side.rawValue]
        ) ?? false
    }

    private func standing(of delivery: DeliveryID?, in db: Database) throws -> OperatorRules.DeliveryStanding {
        guard let delivery else { return .none }
        let row = try Row.fetchOne(db, cached: OperationsSQL.standing, arguments: [delivery.rawValue])
        let (state, isStopped): (String?, Bool) = (row?[0], row?[1] ?? false)
        if isStopped {
            let mayBeThere = try Bool.fetchOne(
                db,
                cached: DeliverySQL.mayHaveBeenReceived,
                arguments: [delivery.rawValue]
            )
            return mayBeThere == true ? .stoppedUnknown : .stopped
        }
        guard state == DeliveryState.held.rawValue else { return .none }
        let isApart = try Bool.fetchOne(db, cached: OperationsSQL.isApart, arguments: [delivery.rawValue])
        if isApart == true { return .keptApart }
        let mayBeThere = try Bool.fetchOne(db, cached: DeliverySQL.mayHaveBeenReceived, arguments: [delivery.rawValue])
        return mayBeThere == true ? .keptUnknown : .kept
    }

    private func settle(_ card: CardID, as state: CardState, now: Timestamp, in db: Database) throws {
        var transition = CardTransition(card: card, from: .held, to: state, kind: "resolved", now: now)
        if state == .rejected { transition.reason = .rejectedByOperator }
        try self.perform(transition, in: db)
        // No image will be made of it any more.
        try self.dropSource(of: card, in: db)
    }

    /// Has a kept delivery sent again as it is; its members that are still held go with it.
    private func reopen(_ delivery: DeliveryID, now: Timestamp, in db: Database) throws -> [CardID] {
        try db.execute(
            cached: OperationsSQL.reopen,
            arguments: [now.millisecondsSinceEpoch, delivery.rawValue]
        )
        guard db.changesCount == 1 else { throw Self.corrupt("delivery.state") }
        let cards = try String.fetchAll(db, cached: OperationsSQL.heldMembers, arguments: [delivery.rawValue])
            .map(CardID.init)
        for card in cards {
            var transition = CardTransition(card: card, from: .held, to: .delivering, kind: "resolved", now: now)
            transition.code = Resolution.resend.rawValue
            try self.perform(transition, in: db)
        }
        try self.note(Self.resendOrder(at: now), of: delivery, now: now, in: db)
        return cards
    }

    /// Puts aside a delivery that waits for a stopped stage, for a decision about one of its members: the others are held,
    /// too, if the backend may have them, else they go into another delivery.
    private func putAside(_ delivery: DeliveryID, for card: CardID, now: Timestamp, in db: Database) throws {
        let mayBeThere =
            try Bool.fetchOne(db, cached: DeliverySQL.mayHaveBeenReceived, arguments: [delivery.rawValue]) ?? false
        let end = AttemptRecord(failureClass: .unknown, code: Self.interrupted, httpStatus: nil, startedAt: now)
        if try self.endOpenAttempt(of: delivery, as: end, now: now, in: db) {
            try self.tellMembers(of: delivery, code: end.code, now: now, in: db)
        }
        let members = try self.actingMembers(of: delivery, in: db)
        try db.execute(
            cached: OperationsSQL.putAside,
            arguments: [now.millisecondsSinceEpoch, delivery.rawValue]
        )
        guard db.changesCount == 1 else { throw Self.corrupt("delivery.state") }
        for member in members {
            var transition = CardTransition(card: member, from: .delivering, to: .held, now: now)
            transition.reason = mayBeThere ? .outcomeUnknown : .attemptsExhausted
            if member != card, !mayBeThere { (transition.to, transition.reason) = (.verified, nil) }
            try self.perform(transition, in: db)
            if transition.to == .verified {
                try db.execute(cached: "UPDATE card SET delivery = NULL WHERE id = ?", arguments: [member.rawValue])
            }
        }
    }

    /// Has a delivery that waits for a stopped stage start over, as if nothing had failed.
    private func restart(_ delivery: DeliveryID, now: Timestamp, in db: Database) throws -> [CardID] {
        try db.execute(cached: OperationsSQL.restart, arguments: [delivery.rawValue])
        try db.execute(cached: OperationsSQL.restartMembers, arguments: [delivery.rawValue])
        let members = try self.actingMembers(of: delivery, in: db)
        for card in members {
            try self.forgetFailures(of: card, in: db)
            let event = CardEvent(
                at: now,
                kind: "resolved",
                state: .delivering,
                code: Resolution.resend.rawValue
            )
            try self.append(event, to: card, in: db)
        }
        try self.note(Self.resendOrder(at: now), of: delivery, now: now, in: db)
        return members
    }

    private static func resendOrder(at now: Timestamp) -> AttemptRecord {
        AttemptRecord(failureClass: .notSent, code: DeliverySQL.resendOrdered, httpStatus: nil, startedAt: now)
    }

    /// Closes a kept delivery once every member has gone its way.
    private func closeIfSettled(_ delivery: DeliveryID, now: Timestamp, in db: Database) throws {
        let states = try String.fetchAll(db, cached: OperationsSQL.memberStates, arguments: [delivery.rawValue])
            .compactMap(CardState.init)
        guard !states.contains(.held) else { return }
        let end: DeliveryState = OperatorRules.endsDelivered(states) ? .delivered : .rejected
        try self.closeKept(delivery, as: end, now: now, in: db)
    }

    private func dissolveKept(_ delivery: DeliveryID, now: Timestamp, in db: Database) throws {
        try self.closeKept(delivery, as: .dissolved, now: now, in: db)
        try db.execute(cached: "UPDATE card SET delivery = NULL WHERE delivery = ?", arguments: [delivery.rawValue])
    }

    private func closeKept(_ delivery: DeliveryID, as state: DeliveryState, now: Timestamp, in db: Database) throws {
        try db.execute(
            cached: "UPDATE delivery SET state = ?, due_at = 0, changed_at = ? WHERE id = ? AND state = 'held'",
            arguments: [state.rawValue, now.millisecondsSinceEpoch, delivery.rawValue]
        )
        if db.changesCount == 1 { try self.empty(delivery, in: db) }
    }
}
