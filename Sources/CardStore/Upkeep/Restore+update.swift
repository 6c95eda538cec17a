import CardModel
import GRDB

// Changes the copy of a backup before it becomes the sandbox.
extension Restore {
    /// Erases cards in the copy that were erased since the backup, copies facts of the replaced sandbox, and holds cards whose
    /// state is unknown.
    func bringUpToDate(erased: [ErasureList.Entry], previous: Previous?, _ report: inout RestoreReport) async throws {
        let file = try Database.marks(of: self.copy)
        guard file.isKnown else { throw CodedError.wrongSandbox(.restoreOtherVersion) }
        let database = try Database(path: self.copy)
        defer { try? database.close() }
        let store = try await self.unlock(database)
        _ = try await store.upkeep.requireWhole()
        report.lastChange = try await database.read { try $0.value("SELECT max(changed_at) FROM card") }
        if previous != nil {
            try await database.withWriter { [path = self.folder.database] connection in
                try connection.execute(sql: "ATTACH DATABASE ? AS previous", arguments: [path])
            }
        }
        try await self.raiseEventNumber(in: database, beside: previous != nil)
        // First, so that the cases of both sandboxes have one number.
        let digests = Set(erased.compactMap(\.number))
        try await database.write(at: self.now) { tx in try store.forgetNumbers(withDigests: digests, in: tx) }
        if let previous {
            let isSame = previous.vault.map(store.vault.isSame) ?? false
            if isSame { report.accessLinesTakenOver = try await self.takeOverLog(store) }
            try await self.takeOver(store, isSame: isSame, &report)
        }
        report.erased += try await self.erase(erased, in: store)
        report.held = try await database.write(at: self.now) { tx in
            let held = try self.hold(store, in: tx)
            try CaseRow.setAllCaseStates(in: tx)
            return held
        }
        // The sandbox may be restored into another folder, whose list lacks the erasures of the backup.
        try await store.upkeep.writeMissingErasureLines()
        report.brokenRules = try await store.upkeep.requireWhole().count
        report.cards = try await database.read { tx in try tx.value("SELECT count(*) FROM card") ?? 0 }
        await store.upkeep.emptyLog()
        try database.close()
    }

    /// Adds an event with a high number, so that all later events have higher numbers than those that clients have seen. Events
    /// are numbered one by one, so the time in milliseconds is higher than any number of a replaced sandbox.
    private func raiseEventNumber(in database: Database, beside replacesPrevious: Bool) async throws {
        try await database.write(at: self.now) { tx in
            let previous: SQL = replacesPrevious ? "(SELECT coalesce(max(id), 0) + 1 FROM previous.event)" : "0"
            try tx.run(
                """
                INSERT INTO main.event (id, card, at, was, state, reason)
                SELECT max(\(tx.now), (SELECT coalesce(max(id), 0) + 1 FROM main.event), \(previous)), id, \(tx.now), state, state, reason
                FROM main.card WHERE beside IS NULL ORDER BY state = \(literal: .erased), intake_order DESC LIMIT 1
                """
            )
        }
    }

    /// Opens the vault of the backup.
    private func unlock(_ database: Database) async throws -> Sandbox {
        do {
            return try await Sandbox.unlock(database, in: self.folder, kind: self.kind, ring: self.ring)
        } catch let error as CodedError where error.code == .wrongKey {
            throw CodedError(.wrongKey, .configuration, .restoreWrongKey(error.message))
        }
    }

    // MARK: The replaced sandbox

    /// Copies the lines that the replaced sandbox added to the access log after the backup.
    ///
    /// - Returns: the number of lines; `nil` if the replaced sandbox's log does not continue that of the backup, or is damaged.
    private func takeOverLog(_ store: Sandbox) async throws -> Int? {
        struct Differs: Error {}
        do {
            return try await store.database.write(at: self.now) { tx in
                let lines = try tx.run(
                    """
                    INSERT INTO main.access_log (\(AccessLog.columns)) SELECT \(AccessLog.columns) FROM previous.access_log
                    WHERE number > (SELECT coalesce(max(number), 0) FROM main.access_log)
                    """
                )
                try tx.run("UPDATE main.store SET log_seal = (SELECT log_seal FROM previous.store)")
                guard try AccessLog.findings(by: store.vault, in: tx).isEmpty else { throw Differs() }
                return lines
            }
        } catch is Differs {
            return nil
        }
    }

    /// Repeats the erasures of the replaced sandbox, and copies the facts of its cases.
    private func takeOver(_ store: Sandbox, isSame: Bool, _ report: inout RestoreReport) async throws {
        report.erased += try await store.database.write(at: self.now) { tx in
            let alive = try tx.values(
                """
                SELECT id FROM main.card WHERE state <> \(literal: .erased)
                AND id IN (SELECT id FROM previous.card WHERE state = \(literal: .erased)) ORDER BY id
                """,
                as: CardID.self
            )
            let erasure = Erasure(store: store, reason: .requested, origin: self.origin, now: self.now)
            let erased = try erasure.erase(alive, in: tx)
            // An action needs two persons if it did in either sandbox.
            try tx.run(
                "INSERT INTO main.four_eyes (action) SELECT action FROM previous.four_eyes WHERE TRUE ON CONFLICT DO NOTHING"
            )
            // Copies the facts of the earlier erasure, so that its certificate stays the same.
            try tx.run(
                """
                UPDATE main.card SET reason = was.reason, changed_at = was.changed_at, was_delivered = was.was_delivered,
                remains = was.remains FROM previous.card AS was WHERE was.id = card.id AND was.state = \(literal: .erased)
                """
            )
            return erased.count
        }
        // Fingerprints, which locations and holders are stored as, match only within the same sandbox.
        guard isSame else { return }
        report.tombstonesTakenOver = try await store.database.write(at: self.now) { tx in
            try Self.takeOverNumbers(in: tx)
            return try Self.takeOverTombstones(in: tx)
        }
    }

    /// Copies the facts of the cases: the holders that their fronts named, and the newest delivered photos.
    private static func takeOverNumbers(in tx: Transaction) throws {
        try tx.run(
            """
            INSERT INTO main.cases (number, key, submitter, holder, ended, rejected_order)
            SELECT number, key, submitter, holder, ended, rejected_order FROM previous.cases
            WHERE number IN (SELECT number FROM previous.card WHERE state = \(literal: .erased)) ON CONFLICT DO NOTHING
            """
        )
        try tx.run(
            """
            UPDATE main.cases SET
            holder = coalesce(cases.holder, was.holder), ended = was.ended,
            rejected_order = coalesce(max(cases.rejected_order, was.rejected_order), was.rejected_order, cases.rejected_order),
            disputed = CASE WHEN was.disputed = 1 OR cases.holder <> was.holder THEN 1 ELSE cases.disputed END,
            \(Self.newest("front")), \(Self.newest("back"))
            FROM previous.cases AS was WHERE was.key = cases.key
            """
        )
        try tx.run(
            """
            UPDATE main.store SET next_order = was.next_order FROM previous.store AS was
            WHERE was.next_order > store.next_order
            """
        )
    }

    /// Assigns the newer of the photos of a side that were delivered in the two sandboxes.
    private static func newest(_ side: SQL) -> SQL {
        let isNewer = PhotoAge.isNewer(PhotoAge.delivered(side, of: "was"), than: PhotoAge.delivered(side, of: "cases"))
        let columns: [SQL] = ["\(side)_delivered", "\(side)_taken"]
        return .joined(columns.map { "\($0) = CASE WHEN \(isNewer) THEN was.\($0) ELSE cases.\($0) END" }, by: ", ")
    }

    /// Selects the number of a row `was` of the replaced sandbox in the spelling of this sandbox's case.
    private static let number: SQL = """
        (SELECT cases.number FROM main.cases JOIN previous.cases AS there ON there.key = cases.key WHERE there.number = was.number)
        """

    /// Copies the tombstones of cards that the backup does not have, and returns how many there were.
    private static func takeOverTombstones(in tx: Transaction) throws -> Int {
        let unknown: SQL = """
            SELECT id FROM previous.card WHERE state = \(literal: .erased) AND id NOT IN (SELECT id FROM main.card)
            AND intake_order NOT IN (SELECT intake_order FROM main.card)
            """
        let count = try tx.run(
            """
            INSERT INTO main.card (id, state, number, submitter, sent_by, side, expected_side, intake_order, taken, priority, part,
            reason, waits_until, created_at, changed_at, was_delivered, remains)
            SELECT id, state, \(Self.number), submitter, sent_by, side, expected_side, intake_order, taken, priority, part, reason,
            waits_until, created_at, changed_at, was_delivered, remains FROM previous.card AS was WHERE id IN (\(unknown))
            """
        )
        try tx.run(
            """
            INSERT INTO main.event (card, at, state, reason)
            SELECT id, changed_at, state, reason FROM main.card WHERE state = \(literal: .erased)
            AND id NOT IN (SELECT card FROM main.event)
            """
        )
        // So that the same file or request is recognised as that of an erased card.
        try tx.run(
            """
            INSERT INTO main.input (location, number, part, card, device, inode, size, modified, changed, request)
            SELECT location, \(Self.number), part, card, device, inode, size, modified, changed, request FROM previous.input AS was
            WHERE card IN (SELECT id FROM main.card WHERE state = \(literal: .erased))
            ON CONFLICT (location, number, part) DO UPDATE SET card = excluded.card, device = excluded.device, inode = excluded.inode,
            size = excluded.size, modified = excluded.modified, changed = excluded.changed, request = excluded.request
            """
        )
        return count
    }

    // MARK: Erasures

    /// Erases the listed cards that the copy still has; returns their number.
    private func erase(_ entries: [ErasureList.Entry], in store: Sandbox) async throws -> Int {
        try await store.database.write(at: self.now) { tx in
            let alive = try entries.filter { try $0.isAlive(in: tx) }
            var count = 0
            for (reason, group) in Dictionary(grouping: alive, by: { $0.reason ?? .requested }) {
                let erasure = Erasure(store: store, reason: reason, origin: self.origin, now: self.now)
                count += try erasure.erase(group.map(\.card), in: tx).count
            }
            return count
        }
    }

    // MARK: Unknown states

    /// Holds every card that may have changed after the backup, removes all claims, and returns the number of held cards.
    private func hold(_ store: Sandbox, in tx: Transaction) throws -> Int {
        try self.keepDeliveries(in: tx)
        try tx.run("UPDATE main.card SET worker = NULL WHERE worker IS NOT NULL")
        try tx.run(
            "UPDATE main.run SET state = \(literal: .ended), worker = NULL, ended_at = \(tx.now) WHERE state <> \(literal: .ended)"
        )
        try tx.run("DELETE FROM main.worker")
        try tx.run("DELETE FROM main.pause")
        try tx.run("DELETE FROM main.decision")
        try tx.run("UPDATE main.four_eyes SET dropped_by = NULL, dropped_at = NULL")
        try tx.run("UPDATE main.cases SET claimed_by = NULL, claimed_tab = NULL, claimed_until = NULL")
        let rows = try CardRow.all(
            """
            WHERE state IN \(literals: .fetching, .received, .prepared, .verified, .delivering, .failed, .held)
            OR (state = \(literal: .rejected) AND reason IS NOT NULL AND reason NOT IN \(list: ReasonCode.byPerson.sorted { $0.rawValue < $1.rawValue })
                AND id IN (SELECT card FROM main.blob))
            ORDER BY intake_order
            """,
            in: tx
        )
        for row in rows where row.beside == nil { try self.hold(row, store, in: tx) }
        // A card that is fetched beside a known one is not held but finished, with an event in the known card's history.
        for row in rows where row.beside != nil {
            try store.stages.finish(row, Transition(.rejected, .restored, .restoreNotFetched), in: tx)
        }
        try AccessLog.append(.restore, of: [nil], by: self.origin, vault: store.vault, in: tx)
        if store.vault.wrapping != self.ring.current { _ = try store.vault.rewrap(with: self.ring.current, in: tx) }
        return rows.count { $0.beside == nil }
    }

    /// Marks each unfinished delivery as one that may have arrived; if a person has it sent again, bytes and key are the same.
    private func keepDeliveries(in tx: Transaction) throws {
        try tx.run(
            """
            UPDATE main.attempt SET ended_at = \(tx.now), class = \(failure: .unknown), code = 'interrupted' WHERE ended_at IS NULL
            """
        )
        try tx.run(
            """
            INSERT INTO main.attempt (stage, subject, worker, started_at, ended_at, class, code)
            SELECT \(literal: .deliver), id, 'restore', \(tx.now), \(tx.now), \(failure: .unknown), 'restored' FROM main.delivery
            WHERE state IN \(deliveries: .open, .kept)
            """
        )
        try tx.run(
            """
            UPDATE main.delivery SET state = \(delivery: .kept), may_be_applied = 1, worker = NULL, due_at = NULL, changed_at = \(tx.now)
            WHERE state IN \(deliveries: .open, .kept)
            """
        )
    }

    private func hold(_ row: CardRow, _ store: Sandbox, in tx: Transaction) throws {
        // These reasons also stop other cards of the same number, so a card that is held for one of them keeps it.
        let unchanged: Set<ReasonCode> = [
            .outcomeUnknown, .holderConflict, .submitterConflict, .caseRejected, .businessNumberPersonal,
        ]
        let reason = row.state == .held ? row.reason.flatMap { unchanged.contains($0) ? $0 : nil } : nil
        // A card held for an unlisted code becomes `restored`, too: its stored answer may be older than later attempts.
        let held = Transition(.held, reason ?? .restored, .restoreHeld(row.id))
        try store.records.move(row, held, also: ", due_at = NULL", in: tx)
    }
}
