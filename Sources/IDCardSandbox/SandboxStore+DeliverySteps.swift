import GRDB
import IDCardCore
import IDCardPipeline

// What is done to a delivery within one transaction.
extension SandboxStore {
    /// - Throws: `StoreError.notFound` if there is no such delivery, `StoreError.conflict` if it is not open and leased
    ///   by `owner`, or if another attempt has begun since: then the same owner has claimed it anew.
    func requireLeased(_ delivery: DeliveryID, by owner: String, lastAttempt: Int, in db: Database) throws {
        let row = try Row.fetchOne(
            db,
            cached: "SELECT state, lease_owner FROM delivery WHERE id = ?",
            arguments: [delivery.rawValue]
        )
        guard let row else { throw StoreError(.notFound, "there is no delivery \(delivery)") }
        guard row["state"] as String == DeliveryState.open.rawValue, row["lease_owner"] as String? == owner,
            try Int.fetchOne(db, cached: DeliverySQL.lastAttempt, arguments: [delivery.rawValue]) == lastAttempt
        else { throw Self.notLeased(delivery) }
    }

    /// Ends the attempt that is open, or if none is, writes one that began and ended.
    func record(_ attempt: AttemptRecord, of delivery: DeliveryID, now: Timestamp, in db: Database) throws {
        if try !self.endOpenAttempt(of: delivery, as: attempt, now: now, in: db) {
            try self.note(attempt, of: delivery, now: now, in: db)
        }
        try self.tellMembers(of: delivery, code: attempt.code, now: now, in: db)
    }

    /// Writes an attempt that began and ended.
    func note(_ attempt: AttemptRecord, of delivery: DeliveryID, now: Timestamp, in db: Database) throws {
        try db.execute(
            cached: """
                INSERT INTO attempt (delivery, ordinal, started_at, ended_at, class, code, http_status)
                SELECT :delivery, COALESCE(MAX(ordinal), 0) + 1, :started, :ended, :class, :code, :status
                FROM attempt WHERE delivery = :delivery
                """,
            arguments: [
                "delivery": delivery.rawValue, "started": attempt.startedAt.millisecondsSinceEpoch,
                "ended": now.millisecondsSinceEpoch, "class": attempt.failureClass.rawValue,
                "code": attempt.code, "status": attempt.httpStatus,
            ]
        )
    }

    /// Returns whether there was an open attempt.
    func endOpenAttempt(
        of delivery: DeliveryID,
        as attempt: AttemptRecord,
        now: Timestamp,
        in db: Database
    ) throws -> Bool {
        try db.execute(
            cached: """
                UPDATE attempt SET ended_at = ?, class = ?, code = ?, http_status = ?
                WHERE delivery = ? AND ended_at IS NULL
                """,
            arguments: [
                now.millisecondsSinceEpoch, attempt.failureClass.rawValue, attempt.code, attempt.httpStatus,
                delivery.rawValue,
            ]
        )
        return db.changesCount > 0
    }

    func tellMembers(of delivery: DeliveryID, code: String, now: Timestamp, in db: Database) throws {
        for card in try self.actingMembers(of: delivery, in: db) {
            try self.append(CardEvent(at: now, kind: "attempt", code: code), to: card, in: db)
        }
    }

    /// Ends a delivery, or with `held` puts it aside; its lease is given back.
    func close(
        _ delivery: DeliveryID,
        as state: DeliveryState,
        owner: String,
        now: Timestamp,
        in db: Database
    ) throws {
        try db.execute(
            cached: """
                UPDATE delivery SET state = ?, due_at = 0, lease_owner = NULL, lease_expires_at = NULL, changed_at = ?
                WHERE id = ? AND state = 'open' AND lease_owner = ?
                """,
            arguments: [state.rawValue, now.millisecondsSinceEpoch, delivery.rawValue, owner]
        )
        guard db.changesCount == 1 else { throw Self.notLeased(delivery) }
        if state != .held { try self.empty(delivery, in: db) }
    }

    /// Leaves nothing of what a closed delivery sent.
    func empty(_ delivery: DeliveryID, in db: Database) throws {
        try db.execute(
            cached: "UPDATE delivery SET parts = x'', boundary = '' WHERE id = ? AND state NOT IN ('open', 'held')",
            arguments: [delivery.rawValue]
        )
        try self.destroyKey(of: delivery.rawValue, in: db)
    }

    /// The members that its conclusion moves: not those that went their own way when it was concluded before.
    func actingMembers(of delivery: DeliveryID, in db: Database) throws -> [CardID] {
        try String.fetchAll(db, cached: DeliverySQL.actingMembers, arguments: [delivery.rawValue]).map(CardID.init)
    }

    func moveMembers(
        of delivery: DeliveryID,
        to state: CardState,
        reason: ReasonCode? = nil,
        message: String? = nil,
        code: String? = nil,
        now: Timestamp,
        in db: Database
    ) throws {
        for card in try self.actingMembers(of: delivery, in: db) {
            var transition = CardTransition(card: card, from: .delivering, to: state, now: now)
            (transition.reason, transition.message, transition.code) = (reason, message, code)
            try self.perform(transition, in: db)
        }
    }

    /// How a delivery ends whose members were answered one by one.
    static func ending(of members: [CardID: MemberConclusion]) -> DeliveryState {
        let endings = members.values
        // It must stay as it is while a person may have it sent again for one of them.
        if endings.contains(where: \.isUnknown) { return .held }
        if endings.allSatisfy(\.isReturned) { return .dissolved }
        return endings.contains(where: \.isDelivered) ? .delivered : .rejected
    }

    /// Notes what an attempt of a delivery says of the backend, after its members have changed.
    func note(
        _ attempt: AttemptRecord,
        of members: [CardID],
        endingAs conclusion: DeliveryConclusion,
        now: Timestamp,
        in db: Database
    ) throws {
        guard case .items(let endings) = conclusion else {
            return try self.note(attempt, of: members, at: .deliver, now: now, in: db)
        }
        if endings.values.contains(where: \.isAnswered) {
            try self.noteSuccess(from: attempt.startedAt, at: .deliver, now: now, in: db)
        }
        for card in members {
            guard let ending = endings[card], let isStop = ending.failsByStop else { continue }
            try self.noteFailure(
                of: card,
                from: attempt.startedAt,
                stop: isStop ? ending.code ?? attempt.code : nil,
                at: .deliver,
                now: now,
                in: db
            )
        }
    }

    /// Ends every member of a delivery in its own way.
    ///
    /// - Throws: `StoreError.conflict` if `endings` leaves a member out.
    func endMembers(
        of delivery: DeliveryID,
        as endings: [CardID: MemberConclusion],
        now: Timestamp,
        in db: Database
    ) throws {
        for card in try self.actingMembers(of: delivery, in: db) {
            guard let ending = endings[card] else {
                throw StoreError(.conflict, "the reply does not speak of card \(card); nothing was changed")
            }
            var transition = CardTransition(card: card, from: .delivering, to: .verified, now: now)
            switch ending {
            case .delivered(let code): (transition.to, transition.code) = (.delivered, code)
            case .rejected(let reason, let message, _):
                (transition.to, transition.reason, transition.message) = (.rejected, reason, message)
            case .held(let reason, let message):
                (transition.to, transition.reason, transition.message) = (.held, reason, message)
            case .failed(let reason, let message):
                (transition.to, transition.reason, transition.message) = (.failed, reason, message)
            case .returned(let time, _), .stopped(let time, _):
                var cost = 0
                if case .returned(_, let attempts) = ending { cost = attempts }
                transition.attempts = try self.requireCard(card, in: db).attempts + cost
                try self.perform(transition, in: db)
                try db.execute(
                    cached: "UPDATE card SET delivery = NULL, due_at = ? WHERE id = ?",
                    arguments: [time.millisecondsSinceEpoch, card.rawValue]
                )
                continue
            }
            try self.perform(transition, in: db)
        }
    }

    /// Leaves a delivery open for another attempt; its members show the same attempts and time.
    func postpone(
        _ delivery: DeliveryID,
        until time: Timestamp,
        attempts: Int,
        owner: String,
        in db: Database
    ) throws {
        try db.execute(
            cached: """
                UPDATE delivery SET attempts = attempts + ?, due_at = ?, lease_owner = NULL, lease_expires_at = NULL
                WHERE id = ? AND state = 'open' AND lease_owner = ?
                """,
            arguments: [attempts, time.millisecondsSinceEpoch, delivery.rawValue, owner]
        )
        guard db.changesCount == 1 else { throw Self.notLeased(delivery) }
        try db.execute(
            cached: "UPDATE card SET attempts = attempts + ?, due_at = ? WHERE delivery = ? AND state = 'delivering'",
            arguments: [attempts, time.millisecondsSinceEpoch, delivery.rawValue]
        )
    }

    private static func notLeased(_ delivery: DeliveryID) -> StoreError {
        StoreError(.conflict, "delivery \(delivery) is not leased for sending any more; nothing was changed")
    }
}
