import Foundation
import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func applicationsWithVerifiedCards() async throws -> [BusinessNumber] {
        try await self.read { db in
            try String.fetchAll(db, cached: ApplicationSQL.withVerifiedCards).map(Self.businessNumber(_:))
        }
    }

    package func applications(
        changedSince mark: Int64?
    ) async throws -> (numbers: [BusinessNumber], mark: Int64) {
        try await self.read { db in
            let last = try Int64.fetchOne(db, cached: ApplicationSQL.lastEvent) ?? 0
            let texts =
                if let mark {
                    try String.fetchAll(db, cached: ApplicationSQL.toBeDecided, arguments: ["mark": mark])
                } else {
                    try String.fetchAll(db, cached: ApplicationSQL.withVerifiedCards)
                }
            return (try texts.map(Self.businessNumber(_:)), last)
        }
    }

    package func awaitsVerification(_ businessNumber: BusinessNumber) async throws -> Bool {
        try await self.read { db in
            try Int.fetchOne(db, cached: ApplicationSQL.awaitsVerification, arguments: [businessNumber.rawValue]) != nil
        }
    }

    package func applicationsLeasedElsewhere() async throws -> Set<BusinessNumber> {
        let owner = try self.owner
        return try await self.read { db in
            let arguments: StatementArguments = ["owner": owner]
            let texts = try String.fetchAll(db, cached: ApplicationSQL.leasedElsewhere, arguments: arguments)
            let leased = try texts.map(Self.businessNumber(_:))
            return Set(leased + (try self.applicationsExpectedElsewhere(than: owner, in: db)))
        }
    }

    static func businessNumber(_ text: String) throws -> BusinessNumber {
        guard let number = BusinessNumber(stored: text) else { throw Self.corrupt("card.business_no") }
        return number
    }

    package func snapshot(of businessNumber: BusinessNumber) async throws -> ApplicationSnapshot {
        do {
            return try await self.read { try self.snapshot(of: businessNumber, in: $0) }
        } catch let error as StoreError where error.concernsOneCard {
            try await self.putAsideUnreadable(of: businessNumber, now: Timestamp(Date()))
            return try await self.read { try self.snapshot(of: businessNumber, in: $0) }
        }
    }

    package func apply(
        _ change: ApplicationChange,
        basis: [ApplicationSnapshot],
        now: Timestamp
    ) async throws -> [CardID: Card]? {
        try await self.writer.write { db in
            for snapshot in basis {
                guard try self.snapshot(of: snapshot.businessNumber, in: db) == snapshot else { return nil }
            }
            try self.requireMembership(of: change, in: basis)
            for card in change.superseded {
                try self.perform(
                    CardTransition(card: card, from: .verified, to: .superseded, reason: .superseded, now: now),
                    in: db
                )
            }
            for card in change.held {
                var transition = CardTransition(card: card, from: .verified, to: .held, now: now)
                (transition.reason, transition.message) = (change.heldReason, change.heldMessage)
                try self.perform(transition, in: db)
            }
            for (card, finding) in change.refused {
                let state: CardState = finding.severity == .reject ? .rejected : .held
                var transition = CardTransition(card: card, from: .verified, to: state, now: now)
                (transition.reason, transition.message) = (finding.reason, finding.message)
                try self.perform(transition, in: db)
            }
            for (card, warnings) in change.warnings {
                for warning in warnings { try self.append(CardEvent(warning, at: now), to: card, in: db) }
            }
            for delivery in change.deliveries { try self.form(delivery, now: now, in: db) }
            for (card, reason) in change.waitReasons { try self.explainWait(of: card, by: reason, now: now, in: db) }
            var cards: [CardID: Card] = [:]
            for card in change.cards where cards[card] == nil { cards[card] = try self.requireCard(card, in: db) }
            return cards
        }
    }
}

// MARK: - Steps within one transaction

extension SandboxStore {
    private func snapshot(of businessNumber: BusinessNumber, in db: Database) throws -> ApplicationSnapshot {
        let rows = try Row.fetchAll(db, cached: ApplicationSQL.snapshot, arguments: [businessNumber.rawValue])
        var snapshot = ApplicationSnapshot(
            businessNumber: businessNumber,
            cards: try rows.map { try self.applicationCard(from: $0, in: db) },
            awaited: try self.awaitedInputs(of: businessNumber, in: db)
        )
        if snapshot.asksForErasedFronts {
            snapshot.hasErasedFront = try self.hasErasedFront(businessNumber, in: db)
        }
        return snapshot
    }

    private func applicationCard(from row: Row, in db: Database) throws -> ApplicationCard {
        let id = CardID(rawValue: row[.id])
        self.recent.expect(id, isShrunk: row[.isShrunk])
        let state: CardState = try Self.word(row[.state], in: "card.state")
        let openUserNumber = {
            var key = Vault.OwnerKey(of: id.rawValue)
            return try self.text(row[.userNumber], of: id, column: "card.user_number", with: &key, in: db)
        }
        return ApplicationCard(
            id: id,
            state: state,
            reason: (row[.reason] as String?).map(ReasonCode.init),
            side: try (row[.side] as String?).map { try Self.word($0, in: "card.side") },
            holder: row[.holder],
            intakeOrder: row[.intakeOrder],
            // It matters for what may still be sent.
            userNumber: try state == .verified ? openUserNumber() : self.unlessDamaged(openUserNumber),
            changedAt: Timestamp(millisecondsSinceEpoch: row[.changedAt]),
            nextAttemptAt: (row[.dueAt] as Int64?).map(Timestamp.init(millisecondsSinceEpoch:)),
            isAccepted: row[.isAccepted],
            isInKeptDelivery: row[.isKept],
            goesAlone: row[.goesAlone]
        )
    }

    /// - Throws: `StoreError.conflict` if the change names a card or a business number outside its basis.
    private func requireMembership(of change: ApplicationChange, in basis: [ApplicationSnapshot]) throws {
        let known = Set(basis.flatMap(\.cards).map(\.id))
        let numbers = Set(basis.map(\.businessNumber))
        guard let stranger = change.cards.first(where: { !known.contains($0) }) else {
            guard change.deliveries.allSatisfy({ numbers.isSuperset(of: $0.businessNumbers) }) else {
                throw StoreError(
                    .conflict,
                    "a delivery of another business number was to be formed; nothing was changed"
                )
            }
            return
        }
        throw StoreError(.conflict, "card \(stranger) does not belong to the business number; nothing was changed")
    }

    private func form(_ delivery: Delivery, now: Timestamp, in db: Database) throws {
        let cards = try delivery.members.map { try self.requireCard($0, in: db) }
        let id = delivery.id.rawValue
        try db.execute(
            cached: """
                INSERT INTO delivery (id, boundary, parts, state, priority, created_at, changed_at)
                VALUES (:id, :boundary, :parts, 'open', :priority, :now, :now)
                """,
            arguments: [
                "id": id, "boundary": delivery.boundary,
                "parts": try self.vault.seal(
                    Self.encode(delivery.parts),
                    delivery: id,
                    column: "delivery.parts",
                    in: db
                ),
                "priority": cards.map(\.metadata.priority).max() ?? 0, "now": now.millisecondsSinceEpoch,
            ]
        )
        for (position, card) in cards.enumerated() {
            try db.execute(
                cached: "INSERT INTO delivery_card (delivery, position, card) VALUES (?, ?, ?)",
                arguments: [id, position, card.id.rawValue]
            )
            // Before the state: a card that is `delivering` always names its delivery.
            try db.execute(cached: "UPDATE card SET delivery = ? WHERE id = ?", arguments: [id, card.id.rawValue])
            var transition = CardTransition(card: card.id, from: .verified, to: .delivering, now: now)
            transition.attempts = card.attempts
            try self.perform(transition, in: db)
        }
    }

    func explainWait(of card: CardID, by reason: ReasonCode?, now: Timestamp, in db: Database) throws {
        try db.execute(
            cached: "UPDATE card SET reason = ? WHERE id = ? AND state = 'verified'",
            arguments: [reason?.rawValue, card.rawValue]
        )
        guard db.changesCount == 1 else {
            throw StoreError(.conflict, "card \(card) is not verified any more; nothing was changed")
        }
        try self.append(CardEvent(at: now, kind: "waiting", code: reason?.rawValue), to: card, in: db)
    }
}

extension Row {
    /// The value in a column of `ApplicationSQL.snapshot`.
    fileprivate subscript<Value: DatabaseValueConvertible>(column: ApplicationSQL.SnapshotColumn) -> Value {
        self[column.rawValue]
    }
}
