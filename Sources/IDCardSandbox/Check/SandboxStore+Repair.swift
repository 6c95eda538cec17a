import GRDB
package import IDCardCore
import IDCardPipeline

extension SandboxStore {
    /// Repairs what can be repaired without a risk, each in a transaction of its own that looks again first.
    ///
    /// Nothing that a repair does can send a card a second time or lose one: it takes back leases of the dead, removes
    /// rows that belong to nothing, ends erasures, closes files to others, and puts cards aside whose image is gone.
    ///
    /// - Parameters:
    ///   - findings: what a check has found; those that cannot be repaired are passed over.
    ///   - now: the time written beside what is changed.
    package func repair(_ findings: [SandboxFinding], now: Timestamp) async throws {
        for finding in findings where finding.isRepairable {
            try await self.repair(finding, now: now)
        }
        if findings.contains(where: { $0.code == .erasedRemnant }) {
            try await self.continueErasures(within: nil, ofAnySize: true)
        }
        // Others who read may keep it from being emptied; whoever works with the sandbox does it sooner or later.
        _ = try await self.writer.emptyLog(waiting: .seconds(1))
    }

    private func repair(_ finding: SandboxFinding, now: Timestamp) async throws {
        switch finding.code {
        case .ownerDead: _ = try await self.reclaimLeases(now: now)
        case .ownerFileStale: try await self.removeStaleOwnerFiles()
        case .erasureUnfinished: try await self.continueErasures(within: nil, ofAnySize: true)
        case .partsLeft:
            guard let subject = finding.subject else { return }
            try await self.writer.write { try self.forgetSent(by: DeliveryID(rawValue: subject), in: $0) }
        case .dueImpossible, .leaseImpossible: try await self.writer.write { _ = try Self.see(now, in: $0) }
        case .restoreLeft: _ = try self.removeLeftCopies()
        case .modeOpen: try finding.subject.map(self.directory.closeToOthers)
        case .imageMissing, .imageDamaged, .sourceMissing, .sourceDamaged:
            guard let subject = finding.subject else { return }
            try await self.putAside(CardID(rawValue: subject), because: finding, now: now)
        case .sourceLeft:
            guard let subject = finding.subject else { return }
            try await self.writer.write { try self.forgetSource(of: subject, in: $0) }
        case .leaseMisplaced:
            guard let subject = finding.subject else { return }
            try await self.takeBackLease(of: subject, because: finding, now: now)
        case .erasedRemnant:
            guard let subject = finding.subject else { return }
            try await self.finishErasure(of: CardID(rawValue: subject), because: finding, now: now)
        default:
            guard let sql = Self.repairs[finding.code] else { return }
            let arguments: StatementArguments = sql.contains("?") ? [finding.subject] : []
            try await self.writer.write { try $0.execute(sql: sql, arguments: arguments) }
        }
    }

    /// Repairs that one statement makes; the mark stands for what the finding is about.
    private static let repairs: [SandboxFinding.Code: String] = [
        .orphanImage: orphan("image"),
        .orphanReading: orphan("reading"),
        .orphanSource: orphan("source_file"),
        .orphanPiece: orphan("source_piece"),
        .orphanFetch: orphan("fetch"),
        .orphanReceipt: orphan("receipt"),
        .orphanKey: "DELETE FROM data_key WHERE owner = ? AND \(SandboxRule.isOrphanKey)",
        .intakeOrderBehind: """
        UPDATE sandbox SET next_intake_order = max(
            next_intake_order, (SELECT COALESCE(max(intake_order), 0) + 1 FROM card)
        )
        """,
    ]

    private static func orphan(_ table: String) -> String {
        """
        DELETE FROM \(table) WHERE card = ? AND NOT EXISTS (SELECT 1 FROM card WHERE card.id = \(table).card)
        """
    }
}

// MARK: - Steps

extension SandboxStore {
    private func forgetSent(by delivery: DeliveryID, in db: Database) throws {
        let state = try String.fetchOne(
            db,
            sql: "SELECT state FROM delivery WHERE id = ?",
            arguments: [delivery.rawValue]
        )
        // One that may be sent again needs its key.
        guard state.flatMap(DeliveryState.init)?.isClosed == true else { return }
        try self.empty(delivery, in: db)
    }

    /// Removes what a killed restore left.
    ///
    /// - Returns: `false` if another process is just opening the sandbox, and nothing was done.
    func removeLeftCopies() throws -> Bool {
        guard let opening = try FileLock.take(path: self.directory.openingLock, creating: true) else { return false }
        defer { opening.release() }
        try self.directory.removeRestoring()
        return true
    }

    private func removeStaleOwnerFiles() async throws {
        // Who opens the sandbox has a file before it has a row: held, this lock keeps everybody from being there.
        guard let opening = try FileLock.take(path: self.directory.openingLock, creating: true) else { return }
        defer { opening.release() }
        let known = Set(
            try await self.read { db in try String.fetchAll(db, sql: "SELECT id FROM owner") }
        )
        for name in try self.directory.entries(of: self.directory.owners) where !known.contains(name) {
            try DeadOwner(id: name, in: self.directory)?.bury()
        }
    }

    /// Ends a card whose image cannot be sent as the engine does when it meets one: before verification as `failed`,
    /// after it as `held`.
    private func putAside(_ card: CardID, because finding: SandboxFinding, now: Timestamp) async throws {
        try await self.writer.write { db in
            let row = try Row.fetchOne(
                db,
                sql:
                    """
                    SELECT state, content_fingerprint, \(SandboxRule.lacksSource) AS lacks_source FROM card
                    WHERE id = ? AND state IN ('fetching', 'received', 'prepared', 'verified') AND lease_owner IS NULL
                    """,
                arguments: [card.rawValue]
            )
            // One that is leased is being worked on, and is put aside by whoever works on it.
            guard let row else { return }
            let state: CardState = try Self.word(row["state"], in: "card.state")
            guard try !self.canGoOn(card, from: state, row, in: db) else { return }
            var transition = CardTransition(
                card: card,
                from: state,
                to: state == .verified ? .held : .failed,
                reason: .imageUnreadable,
                now: now
            )
            transition.message = StoreError.imageAdvice
            transition.attempts =
                try Int.fetchOne(
                    db,
                    sql: "SELECT attempts FROM card WHERE id = ?",
                    arguments: [card.rawValue]
                ) ?? 0
            try self.perform(transition, in: db)
            try self.append(Self.event(of: finding, at: now), to: card, in: db)
        }
    }

    /// Whether what a card is made of, or is sent as, is there and opens after all.
    private func canGoOn(_ card: CardID, from state: CardState, _ row: Row, in db: Database) throws -> Bool {
        switch state {
        case .fetching: row["lacks_source"] == false
        case .received:
            try row["lacks_source"] == false
                && self.opens(sourceOf: card.rawValue, as: row["content_fingerprint"], in: db)
        default: try self.opens(imageOf: card.rawValue, in: db)
        }
    }

    /// Removes source bytes that are not needed any more, and the address of an image that is here.
    private func forgetSource(of card: String, in db: Database) throws {
        let sql = "SELECT state, \(SandboxRule.hasSourceLeft) AS is_left FROM card WHERE id = ?"
        guard let row = try Row.fetchOne(db, sql: sql, arguments: [card]) else { return }
        if row["is_left"] == true { try self.dropSource(of: CardID(rawValue: card), in: db) }
        if row["state"] == CardState.received.rawValue {
            try db.execute(sql: ReceptionSQL.dropFetch, arguments: [card])
        }
    }

    private func takeBackLease(of subject: String, because finding: SandboxFinding, now: Timestamp) async throws {
        try await self.writer.write { db in
            try db.execute(
                sql: """
                    UPDATE delivery SET lease_owner = NULL, lease_expires_at = NULL
                    WHERE id = ? AND \(SandboxRule.deliveryCannotBeLeased)
                    """,
                arguments: [subject]
            )
            try db.execute(
                sql: """
                    UPDATE card SET lease_owner = NULL, lease_expires_at = NULL
                    WHERE id = ? AND \(SandboxRule.cannotBeLeased)
                    """,
                arguments: [subject]
            )
            if db.changesCount == 1 {
                try self.append(Self.event(of: finding, at: now), to: CardID(rawValue: subject), in: db)
            }
        }
    }

    /// Destroys what an erasure has left: the data key first, without which the rest cannot be opened.
    private func finishErasure(of card: CardID, because finding: SandboxFinding, now: Timestamp) async throws {
        try await self.writer.write { db in
            let isLeft = try Bool.fetchOne(
                db,
                sql: "SELECT \(SandboxRule.hasRemnant) FROM card WHERE id = ? AND state = 'erased'",
                arguments: [card.rawValue]
            )
            guard isLeft == true else { return }
            let tables = [
                ("data_key", "owner"), ("image", "card"), ("reading", "card"), ("source_piece", "card"),
                ("fetch", "card"),
            ]
            for (table, column) in tables {
                try db.execute(sql: "DELETE FROM \(table) WHERE \(column) = ?", arguments: [card.rawValue])
            }
            try db.execute(
                sql: """
                    UPDATE card SET user_number = NULL, expected_id_number = NULL, expected_name = NULL,
                        expected_side = NULL, side = NULL, message = NULL, holder_fingerprint = NULL,
                        content_fingerprint = x'', business_no = ?
                    WHERE id = ? AND state = 'erased'
                    """,
                arguments: [BusinessNumber.erased.rawValue, card.rawValue]
            )
            // So that the file is looked through once more, and certified anew; until then no certificate says it was.
            try db.execute(
                sql: "UPDATE erasure SET is_scrubbed = 0, is_certified = 0 WHERE card = ?",
                arguments: [card.rawValue]
            )
            try self.append(Self.event(of: finding, at: now), to: card, in: db)
        }
    }

    private static func event(of finding: SandboxFinding, at time: Timestamp) -> CardEvent {
        CardEvent(at: time, kind: "repaired", code: finding.code.rawValue)
    }
}
