import Foundation
import GRDB
import IDCardCore
import IDCardPipeline

// What is changed in the copy before it becomes the sandbox, in one transaction.
extension SandboxRestore {
    func settle(
        _ store: SandboxStore,
        tombstones: [Tombstone],
        previous: PreviousSandbox,
        report: inout RestoreReport,
        in db: Database
    ) throws {
        report.lastChange = try Int64.fetchOne(db, sql: "SELECT max(changed_at) FROM card")
            .map(Timestamp.init(millisecondsSinceEpoch:))
        let sharesFingerprints = previous.mark == store.vault.mark
        // First of all: what is done here comes after what was done there.
        let lineCount = sharesFingerprints ? try self.continueAccessLog(of: store, in: db) : nil
        report.accessLineCount = lineCount ?? 0
        report.hasLeftAccessLog = lineCount == nil && previous.hasAccessLog
        for tombstone in tombstones {
            let state = try String.fetchOne(
                db,
                sql: "SELECT state FROM card WHERE id = ?",
                arguments: [tombstone.card.rawValue]
            )
            if state == nil, sharesFingerprints {
                guard try self.takeOver(tombstone, in: db) else { continue }
                report.takenOverCount += 1
                if lineCount == nil { try self.logAnew(tombstone.card, in: store, db: db) }
            } else if let state, state != CardState.erased.rawValue {
                try self.erase(tombstone, in: store, db: db)
                report.erasedCount += 1
            }
            if sharesFingerprints, state != nil { try self.remember(tombstone, in: db) }
        }
        // Where the keys differ nothing can be matched; the fronts that the backup holds were erased above.
        for (fingerprint, since) in sharesFingerprints ? previous.erasedFronts : [:] {
            try db.execute(sql: FrontSQL.remember, arguments: [fingerprint, since])
        }
        try db.execute(
            // A search that was under way knows the places of another file.
            sql: "UPDATE sandbox SET next_intake_order = max(next_intake_order, ?), search_position = NULL",
            arguments: [previous.nextIntakeOrder]
        )
        if !self.isResuming {
            report.heldCount = try self.hold(in: store, db: db)
            // One of these may have been judged again, and sent, after the backup.
            try db.execute(
                sql: "UPDATE card SET reason = ? WHERE state = 'superseded' AND reason = ?",
                arguments: [ReasonCode.restored.rawValue, ReasonCode.superseded.rawValue]
            )
            // Gone on by itself, it would take in again what was taken in and sent after the backup.
            try db.execute(
                sql: "UPDATE source_run SET state = 'failed', reason = ?, ended_at = ? WHERE state = 'running'",
                arguments: [ReasonCode.restored.rawValue, self.options.now.millisecondsSinceEpoch]
            )
        }
        try store.chain.append(.restore, of: nil, by: self.origin, now: self.options.now, in: db)
    }

    // MARK: Erasures

    /// Writes the tombstone of a card that the backup does not know.
    private func takeOver(_ tombstone: Tombstone, in db: Database) throws -> Bool {
        guard let row = tombstone.row else { return false }
        try db.execute(
            sql: """
                INSERT INTO card (
                    id, state, business_no, content_fingerprint, intake_order, priority, reason, created_at, changed_at
                ) VALUES (?, 'erased', ?, ?, ?, 0, ?, ?, ?)
                """,
            arguments: [
                tombstone.card.rawValue, row.businessNumber, row.contentFingerprint, row.intakeOrder,
                tombstone.reason, row.createdAt, (tombstone.erasedAt ?? self.options.now).millisecondsSinceEpoch,
            ]
        )
        if let certificate = tombstone.certificate {
            try db.execute(
                sql: "INSERT INTO erasure (card, certificate, is_scrubbed, is_certified) VALUES (?, ?, ?, ?)",
                arguments: [
                    tombstone.card.rawValue, certificate.text, certificate.isScrubbed, certificate.isCertified,
                ]
            )
        }
        try self.append(tombstone, in: db)
        try self.remember(tombstone, in: db)
        return true
    }

    /// Tells of an erasure in the log of the backup, where the log that told of it does not go on in this one.
    private func logAnew(_ card: CardID, in store: SandboxStore, db: Database) throws {
        do {
            guard var certificate = try store.certificate(of: card, in: db) else { return }
            try store.log(&certificate, by: self.origin, now: self.options.now, in: db)
            try SandboxStore.keep(certificate, in: db)
        } catch let error as StoreError where error.code == .corrupt {
            return  // What was no certificate there is none here either; the check says so.
        }
    }

    /// Erases a card that was erased after the backup was made, with the time and the reason of then.
    private func erase(_ tombstone: Tombstone, in store: SandboxStore, db: Database) throws {
        let request = ErasureRequest(
            card: tombstone.card,
            reason: ReasonCode(rawValue: tombstone.reason ?? ReasonCode.restored.rawValue),
            origin: self.origin,
            now: tombstone.erasedAt ?? self.options.now
        )
        // What may be left of its bytes in the file is looked for when the erasure is finished.
        _ = try store.erase(request, in: db)
    }

    private func append(_ tombstone: Tombstone, in db: Database) throws {
        try db.execute(
            sql: "INSERT INTO event (card, at, kind, state, code) VALUES (?, ?, 'erased', 'erased', ?)",
            arguments: [tombstone.card.rawValue, self.options.now.millisecondsSinceEpoch, tombstone.reason]
        )
    }

    /// Has a scan of the same file find the tombstone.
    private func remember(_ tombstone: Tombstone, in db: Database) throws {
        for file in tombstone.files {
            try db.execute(
                sql: IntakeSQL.rememberFile,
                arguments: [
                    file.pathFingerprint, file.device, file.inode, file.size, file.modifiedNanoseconds,
                    tombstone.card.rawValue,
                ]
            )
            try db.execute(
                sql: IntakeSQL.rememberContent,
                arguments: [file.contentFingerprint, file.pathFingerprint]
            )
        }
        try self.rememberReceipts(of: tombstone, in: db)
    }

    /// Has a request that is repeated find the tombstone.
    private func rememberReceipts(of tombstone: Tombstone, in db: Database) throws {
        for receipt in tombstone.receipts {
            try db.execute(
                sql: ReceptionSQL.restoreReceipt,
                arguments: [
                    receipt.nameFingerprint, receipt.requestFingerprint, tombstone.card.rawValue, receipt.createdAt,
                ]
            )
        }
    }

    // MARK: What is not known

    /// Puts every card that may have gone on after the backup aside: what became of it is not known.
    ///
    /// Those without an end, and those that a person or a corrected list can have had done again.
    private func hold(in store: SandboxStore, db: Database) throws -> Int {
        let deliveries = try String.fetchAll(
            db,
            sql: "SELECT id FROM delivery WHERE state IN ('open', 'held') ORDER BY number"
        )
        for delivery in deliveries { try self.keep(delivery, db: db) }
        let states = CardState.allCases.filter(\.isRunnable)
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT id, state, reason FROM card WHERE state IN (\(SandboxSchema.list(states)))
                    OR (
                        state IN ('rejected', 'failed', 'held') AND reason IS NOT ?
                        AND (
                            EXISTS (SELECT 1 FROM image WHERE image.card = card.id)
                            OR EXISTS (SELECT 1 FROM source_piece WHERE source_piece.card = card.id)
                            OR EXISTS (SELECT 1 FROM fetch WHERE fetch.card = card.id)
                        )
                    )
                ORDER BY intake_order
                """,
            // Neither a person nor a scan has such a card done again.
            arguments: [ReasonCode.rejectedByOperator.rawValue]
        )
        for row in rows {
            let state: CardState = try SandboxStore.word(row["state"], in: "card.state")
            let reason = (row["reason"] as String?).map(ReasonCode.init)
            try self.hold(CardID(rawValue: row["id"]), from: state, because: reason, in: store, db: db)
        }
        return rows.count
    }

    /// Keeps a delivery that is not over as one that may have been received: sent again, it is sent under its own key.
    private func keep(_ delivery: String, db: Database) throws {
        let now = self.options.now.millisecondsSinceEpoch
        try self.endAttempts(of: delivery, db: db)
        try db.execute(
            sql: """
                INSERT INTO attempt (delivery, ordinal, started_at, ended_at, class, code)
                SELECT :delivery, COALESCE(max(ordinal), 0) + 1, :now, :now, 'unknown', 'restored'
                FROM attempt WHERE delivery = :delivery
                """,
            arguments: ["delivery": delivery, "now": now]
        )
        try db.execute(
            sql: "UPDATE delivery SET state = 'held', due_at = 0, changed_at = ? WHERE id = ?",
            arguments: [now, delivery]
        )
    }

    /// Ends what was being sent when the backup was made.
    private func endAttempts(of delivery: String, db: Database) throws {
        try db.execute(
            sql: """
                UPDATE attempt SET ended_at = ?, class = 'unknown', code = ? WHERE delivery = ? AND ended_at IS NULL
                """,
            arguments: [self.options.now.millisecondsSinceEpoch, SandboxStore.interrupted, delivery]
        )
    }

    private func hold(
        _ card: CardID,
        from state: CardState,
        because reason: ReasonCode?,
        in store: SandboxStore,
        db: Database
    ) throws {
        // What these say of a held card other cards of its holder heed, and they let it go no sooner.
        let isHeeded = state == .held && (reason == .outcomeUnknown || reason == .holderConflict)
        var transition = CardTransition(
            card: card,
            from: state,
            to: .held,
            reason: isHeeded ? reason : .restored,
            now: self.options.now
        )
        transition.message = Self.advice(for: state)
        try store.perform(transition, in: db)
    }

    private static func advice(for state: CardState) -> String {
        let start =
            "restored from a backup: what happened after it is not known; ask the backend whether it has the card"
        return switch state {
        case .delivering: "\(start), then `cards resolve` it as delivered, resend or reject"
        case .held: "\(start), then `cards resolve` it as delivered, resend, accept or reject"
        case .verified: "\(start), then `cards resolve` it as delivered, accept or reject"
        default: "\(start), then `cards retry` it, or `cards resolve` it as delivered or reject"
        }
    }
}
