import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func standing(of cards: [CardID], at stage: Stage, now: Timestamp) async throws -> CallStanding {
        try await self.read { db in
            let known = try Self.succeededFrom(at: stage, now: now, in: db)
            // A card may have many others beside it in an outage: a few tell enough.
            let stopped = try String.fetchSet(
                db,
                sql: CallSQL.stopped,
                arguments: [stage.rawValue, known, now.millisecondsSinceEpoch]
            ).subtracting(cards.map(\.rawValue))
            return .joining(
                try cards.map { card in
                    try Self.failure(of: card, at: stage, in: db).standing(
                        succeededFrom: known == 0 ? nil : Timestamp(millisecondsSinceEpoch: known),
                        otherStopped: stopped.count
                    )
                }
            )
        }
    }

    package func numbersRefused(with code: String, now: Timestamp) async throws -> Set<BusinessNumber> {
        try await self.read { db in
            let refused = try Self.refused(with: code, now: now, in: db)
            return Set(Self.numbers(of: refused).compactMap(BusinessNumber.init(stored:)))
        }
    }

    package func giveBackRefused(with code: String?, atLeast limit: Int, now: Timestamp) async throws -> [Card] {
        try await self.writer.write { db in
            var cards: [Card] = []
            for code in try code.map({ [$0] })
                ?? String.fetchAll(db, cached: CallSQL.codes, arguments: [Stage.deliver.rawValue])
            {
                let refused = try Self.refused(with: code, now: now, in: db)
                guard Self.numbers(of: refused).count >= limit else { continue }
                for row in refused where row[2] as Bool? == true {
                    let card = CardID(rawValue: row["id"])
                    guard try !self.mayBeAtBackend(card, in: db) else { continue }
                    try self.giveBack(card, refusedWith: code, now: now, in: db)
                    cards.append(try self.requireCard(card, in: db))
                }
            }
            return cards
        }
    }

    private func giveBack(_ card: CardID, refusedWith code: String, now: Timestamp, in db: Database) throws {
        var transition = CardTransition(card: card, from: .rejected, to: .verified, kind: "given_back", now: now)
        transition.code = code
        transition.keepsFailures = true
        try self.perform(transition, in: db)
        try db.execute(cached: "UPDATE card SET delivery = NULL WHERE id = ?", arguments: [card.rawValue])
    }

    private static func numbers(of refused: [Row]) -> Set<String> {
        Set(refused.map { $0["business_no"] })
    }

    private static func refused(with code: String, now: Timestamp, in db: Database) throws -> [Row] {
        try Row.fetchAll(
            db,
            cached: CallSQL.refused,
            arguments: [
                "stage": Stage.deliver.rawValue, "code": code,
                "since": try self.succeededFrom(at: .deliver, now: now, in: db), "now": now.millisecondsSinceEpoch,
            ]
        )
    }

    /// When the latest call began that the endpoint took; 0 for none. A time ahead of the clock was written by a clock that
    /// was wrong, and counts as none.
    private static func succeededFrom(at stage: Stage, now: Timestamp, in db: Database) throws -> Int64 {
        let latest = try Int64.fetchOne(db, cached: CallSQL.succeededFrom, arguments: [stage.rawValue]) ?? 0
        return latest <= now.millisecondsSinceEpoch ? latest : 0
    }

    private static func failure(of card: CardID, at stage: Stage, in db: Database) throws -> CallFailure? {
        try Row.fetchOne(db, cached: CallSQL.ofCard, arguments: [stage.rawValue, card.rawValue]).map { row in
            CallFailure(
                failures: row["failures"],
                firstAt: Timestamp(millisecondsSinceEpoch: row["first_at"]),
                lastAt: Timestamp(millisecondsSinceEpoch: row["last_at"]),
                stoppedAt: (row["stopped_at"] as Int64?).map(Timestamp.init(millisecondsSinceEpoch:))
            )
        }
    }
}

// MARK: - Steps within one transaction

extension SandboxStore {
    /// Notes what a call about some cards says of its endpoint, after the cards have changed.
    func note(
        _ attempt: AttemptRecord,
        of cards: [CardID],
        at stage: Stage,
        now: Timestamp,
        in db: Database
    ) throws {
        switch attempt.provesEndpoint {
        case true?: try self.noteSuccess(from: attempt.startedAt, at: stage, now: now, in: db)
        case false?:
            let code = attempt.isStop ? attempt.code : nil
            for card in cards {
                try self.noteFailure(of: card, from: attempt.startedAt, stop: code, at: stage, now: now, in: db)
            }
        case nil: break
        }
    }

    /// Notes that the endpoint of a stage took a call.
    func noteSuccess(from start: Timestamp, at stage: Stage, now: Timestamp, in db: Database) throws {
        try db.execute(
            cached: CallSQL.noteSuccess,
            arguments: [
                "stage": stage.rawValue, "start": start.millisecondsSinceEpoch, "now": now.millisecondsSinceEpoch,
            ]
        )
        guard db.changesCount > 0 else { return }
        try db.execute(
            cached: CallSQL.forgetEnded,
            arguments: ["stage": stage.rawValue, "start": start.millisecondsSinceEpoch]
        )
    }

    /// Notes that a call about a card failed; of one that has ended only a `stop` says something of the endpoint.
    ///
    /// - Parameter code: the code of a failure that may concern every card; `nil` for any other.
    func noteFailure(
        of card: CardID,
        from start: Timestamp,
        stop code: String?,
        at stage: Stage,
        now: Timestamp,
        in db: Database
    ) throws {
        let state = try self.requireCard(card, in: db).state
        guard code != nil || state == .prepared || state == .verified || state == .delivering else { return }
        try db.execute(
            cached: CallSQL.noteFailure,
            arguments: [
                "stage": stage.rawValue, "card": card.rawValue, "start": start.millisecondsSinceEpoch,
                "now": now.millisecondsSinceEpoch, "stopped": code == nil ? nil : now.millisecondsSinceEpoch,
                "code": code,
            ]
        )
    }

    /// Forgets what went wrong with the calls about a card, as it leaves its stage.
    func forgetFailures(of card: CardID, in db: Database) throws {
        try db.execute(cached: CallSQL.forget, arguments: [card.rawValue])
    }
}

extension CallFailure? {
    /// How a card stands that may have no failure.
    fileprivate func standing(succeededFrom: Timestamp?, otherStopped: Int) -> CallStanding {
        if let failure = self { return failure.standing(succeededFrom: succeededFrom, otherStopped: otherStopped) }
        var standing = CallStanding()
        standing.otherStopped = otherStopped
        return standing
    }
}
