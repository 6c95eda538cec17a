package import CardModel
import Foundation
import GRDB
import Synchronization

extension SandboxUpkeep {
    /// Erases cards permanently, even ones that cannot be unsealed. The data key and all sealed values are deleted in one
    /// transaction. A tombstone without personal data stays, so that the same file does not make a new card.
    ///
    /// The delivery of a card is closed: its other members are held, or return to `verified` if it was surely not applied.
    ///
    /// - Parameters:
    ///   - withNumber: whether their business numbers are replaced by digests, too, once all cards of a number are erased; a
    ///     number that names a person always is.
    ///   - listed: when the cards were selected; cards that have changed since are not erased.
    /// - Returns: the results; a card that was erased before has its earlier certificate.
    /// - Throws: `not_found` before anything is erased.
    @discardableResult
    package func erase(
        _ cards: [CardID],
        because reason: ReasonCode,
        withNumber: Bool = false,
        selectedAt listed: Timestamp? = nil,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> ErasureOutcome {
        var erasure = Erasure(store: self.sandbox, reason: reason, origin: origin, now: now)
        erasure.withNumber = withNumber
        return try await erasure.run(cards, selectedAt: listed)
    }

    func certificates(of cards: [CardID]) async throws -> [ErasureCertificate] {
        try await self.read { tx in
            try cards.compactMap { card in
                if let certificate = try ErasureCertificate(of: card, in: tx) { return certificate }
                // A card without a line in the log has no certificate: a restore may have copied its tombstone without the log.
                let reported: SQL = "SELECT 1 FROM access_log WHERE card = card.id AND action = \(AccessAction.erase)"
                let erased: SQL = "id = \(card) AND state = \(literal: .erased) AND EXISTS (\(reported))"
                guard try !tx.exists("SELECT 1 FROM card WHERE \(erased)") else {
                    throw CodedError.damaged(.sandboxDamaged)
                }
                return nil
            }
        }
    }

    /// Returns the documents that the built-in backend must erase: the key of a delivery, and the position of an erased card in
    /// it, from 1.
    package func erasedDocuments() async throws -> [(key: String, position: Int)] {
        try await self.read { tx in
            try tx.rows(
                """
                SELECT delivery.key, delivery_card.position + 1 FROM card
                JOIN delivery_card ON delivery_card.card = card.id JOIN delivery ON delivery.id = delivery_card.delivery
                WHERE card.state = \(literal: .erased) ORDER BY card.intake_order, delivery.formed_at
                """
            ) { row in (key: try row.next(), position: try row.next()) }
        }
    }

    var erasureList: ErasureList { ErasureList(path: self.sandbox.folder.erasures) }

    /// Gives free pages back to the disk and empties the write-ahead log, which may still hold erased bytes.
    ///
    /// - Returns: whether the log is empty. It cannot be emptied while a process reads; the next heartbeat tries again.
    @discardableResult
    func freeErased() async -> Bool {
        let isEmpty = await self.emptyLog()
        // Restore the reserve at once: perhaps no other process would, and the next erasure may find the disk full again.
        self.sandbox.intake.reserve.ensure(freeBytes: self.sandbox.intake.freeBytes, beside: 0)
        return isEmpty
    }

    /// Gives free pages back and empties the write-ahead log; gives up instead of waiting for readers.
    ///
    /// - Parameter ifDue: whether to do this only if a card was erased since the last time.
    /// - Returns: whether the log is empty, or was not due.
    @discardableResult
    func emptyLog(ifDue: Bool = false) async -> Bool {
        if !ifDue { self.sandbox.emptiedAt.withLock { $0 = nil } }
        let due = try? await self.read { tx in
            let logged: Int64? = try tx.value("SELECT max(number) FROM access_log")
            return (erased: try Tally.counts(in: tx)[.erased]?.entered ?? 0, logged ?? 0)
        }
        guard let (erased, scrubbed) = due else { return false }
        guard self.sandbox.emptiedAt.withLock({ $0 }) != erased else { return true }
        // In portions, so that other changes can be made in between.
        for _ in 0..<Limits.portionsGivenBack {
            try? await self.sandbox.database.withWriter { connection in
                try connection.execute(sql: "PRAGMA incremental_vacuum(\(Limits.pagesGivenBack))")
            }
        }
        let isEmpty = try? await self.sandbox.database.withWriter { connection in
            if self.sandbox.emptiedAt.withLock({ $0 }) == erased { return true }
            try connection.execute(sql: "PRAGMA busy_timeout = 0")
            defer { try? connection.execute(sql: "PRAGMA busy_timeout = \(Int(Limits.busyTimeout * 1000))") }
            let isEmpty = try Int.fetchOne(connection, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0
            guard isEmpty else { return false }
            let later = "UPDATE store SET scrubbed = ? WHERE scrubbed < ?"
            try connection.execute(sql: later, arguments: [scrubbed, scrubbed])
            // Set while this process has the writer, so that a later erasure makes the log due again.
            self.sandbox.emptiedAt.withLock { $0 = erased }
            return try Int.fetchOne(connection, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0
        }
        return isEmpty ?? false
    }
}

/// The outcome of a request to erase cards.
package struct ErasureOutcome: Sendable {
    package fileprivate(set) var certificates: [ErasureCertificate] = []
    package fileprivate(set) var waiting: [CardID] = []
    /// The errors of cards that are not erased because another person decided something else.
    package fileprivate(set) var refused: [CodedError] = []
    /// The error because of which the remaining cards were not erased, if some cards were erased before it.
    package fileprivate(set) var failure: (any Error)?
}

/// The erasing of cards, in transactions of a few cards each.
struct Erasure: Sendable {
    /// A step of an erasure, for tests.
    enum Step: String, CaseIterable, Sendable {
        /// The rows are gone within the transaction.
        case begun
        /// The list of erasures has the lines of the cards durably.
        case listed
        /// The transaction is committed.
        case committed
        /// The write-ahead log is empty.
        case scrubbed
    }

    let store: Sandbox
    let reason: ReasonCode
    let origin: AccessOrigin
    let now: Timestamp
    var withNumber = false
    /// Called at each step.
    var reached: @Sendable (Step) -> Void = { _ in }

    /// Erases cards in groups; after an error, the groups before it stay erased.
    func run(_ cards: [CardID], selectedAt listed: Timestamp? = nil) async throws -> ErasureOutcome {
        try await self.store.read { tx in
            var person = self.origin
            for card in cards { _ = try self.store.decisions.row(card, for: .erase, by: &person, in: tx) }
        }
        var outcome = ErasureOutcome()
        for start in stride(from: 0, to: cards.count, by: Limits.cardsPerErasure) {
            let group = Array(cards.dropFirst(start).prefix(Limits.cardsPerErasure))
            do {
                let ends = try await self.store.write(at: self.now) { tx in
                    try self.eraseConfirmed(group, selectedAt: listed, in: tx)
                }
                outcome.waiting += ends.waiting
                outcome.refused += ends.refused
            } catch {
                // Throwing now would lose the certificates of the cards erased so far.
                guard start > 0 else { throw error }
                outcome.failure = error
                break
            }
            self.reached(.committed)
        }
        outcome.certificates = try await self.finish(cards)
        return outcome
    }

    /// Empties the log, and returns the certificates.
    func finish(_ cards: [CardID]) async throws -> [ErasureCertificate] {
        await self.store.upkeep.freeErased()
        self.reached(.scrubbed)
        return try await self.store.upkeep.certificates(of: cards)
    }

    /// Erases the cards that need no second person or that a second person has confirmed.
    private func eraseConfirmed(_ cards: [CardID], selectedAt listed: Timestamp?, in tx: Transaction) throws
        -> ErasureOutcome
    {
        var (origins, outcome): ([CardID: AccessOrigin], _) = ([:], ErasureOutcome())
        for card in cards {
            var person = self.origin
            let row = try self.store.decisions.row(card, for: .erase, by: &person, in: tx)
            guard row.state != .erased, listed.map({ row.changedAt <= $0 }) ?? true else { continue }
            do {
                switch try self.store.decisions.weigh((.erase, nil), of: row, by: person, in: tx) {
                case .goes(let origin, _): origins[card] = origin
                case .stays: outcome.waiting.append(card)
                }
            } catch let error as CodedError where error.kind == .conflict {
                outcome.refused.append(error)
            }
        }
        _ = try self.erase(cards.filter { origins[$0] != nil }, by: origins, in: tx)
        return outcome
    }

    /// Erases cards, and writes them into the list of erasures before the commit.
    ///
    /// - Parameter origins: who has cards erased, where this differs from the erasure's own origin.
    /// - Returns: the cards that were not erased before.
    func erase(_ cards: [CardID], by origins: [CardID: AccessOrigin] = [:], in tx: Transaction) throws -> [CardID] {
        var entries: [ErasureList.Entry] = []
        for card in cards {
            let row = try self.store.decisions.row(card, for: .erase, by: self.origin.caller, in: tx)
            let origin = origins[card] ?? self.origin
            if row.state != .erased { entries.append(try self.erase(row, by: origin, in: tx)) }
            if self.withNumber { try self.store.markPersonal(row.number, in: tx) }
        }
        let digests = try self.store.forgetNumbers(of: cards, in: tx)
        for index in entries.indices { entries[index].number = digests[entries[index].card] }
        try CaseRow.setCaseStates(in: tx)
        self.store.preparedImages.drop(cards)
        self.reached(.begun)
        try self.store.upkeep.erasureList.append(entries)
        self.reached(.listed)
        return entries.map(\.card)
    }

    private func erase(_ row: CardRow, by origin: AccessOrigin, in tx: Transaction) throws -> ErasureList.Entry {
        let head = try AccessLog.append(.erase, of: [row.id], by: origin, vault: self.store.vault, in: tx)
        let remains = try JSONEncoder().encode(ErasureCertificate.Remains(of: row, line: head.number, in: tx))
        try self.store.decisions.markSending(row, in: tx)
        _ = try self.store.decisions.leaveDelivery(row, in: tx)
        // The event of the erasure is added before older ones are deleted: SQLite could reuse the number of a deleted last event,
        // and clients that have seen this number would miss the new event.
        let also: SQL = """
            , was_delivered = \(row.state == .delivered), remains = \(remains), counts_from = NULL,
            \(Transition.fresh)
            """
        try self.store.records.move(row, Transition(.erased, self.reason), also: also, in: tx)
        try Self.destroy(row.id, in: tx)
        for other in try CardRow.all("WHERE card.number = \(row.number) AND card.beside = \(row.id)", in: tx) {
            try self.store.stages.dropFetch(other, in: tx)
        }
        try Self.fold(row.id, of: self.store, in: tx)
        return ErasureList.Entry(card: row.id, reason: self.reason, accessNumber: head.number)
    }

    /// Deletes the attempts for an erased card, which its tombstone sums up, and deliveries whose cards are all erased. Called
    /// when a card is erased, and again when a call ends that was in progress then.
    static func fold(_ card: CardID, of store: Sandbox, in tx: Transaction) throws {
        // Keeps attempts that may still get an answer, even those of a worker that was considered dead.
        let mayAnswer: SQL = "(ended_at IS NULL OR coalesce(code, '') = 'interrupted')"
        try Self.forgetAttempts(of: "\(card)", "AND NOT \(mayAnswer)", in: tx)
        // Keeps deliveries to the built-in backend, which finds out later which documents it must erase.
        guard store.kind == .real else { return }
        let deliveries = try tx.values(
            """
            SELECT delivery FROM delivery_card AS own WHERE card = \(card) AND NOT EXISTS (
                SELECT 1 FROM delivery_card JOIN card ON card.id = delivery_card.card
                WHERE delivery_card.delivery = own.delivery AND card.id <> own.card AND card.state <> \(literal: .erased)
            ) AND NOT EXISTS (SELECT 1 FROM attempt WHERE subject = own.delivery AND \(mayAnswer))
            """,
            as: DeliveryID.self
        )
        for id in deliveries {
            try tx.run(
                """
                UPDATE card SET delivery = NULL
                WHERE id IN (SELECT card FROM delivery_card WHERE delivery = \(id)) AND delivery = \(id)
                """
            )
            try tx.run("DELETE FROM delivery_card WHERE delivery = \(id)")
            try Self.forgetAttempts(of: "\(id)", in: tx)
            try tx.run("DELETE FROM delivery WHERE id = \(id)")
        }
    }

    /// Deletes the attempts for a card or delivery; but keeps an endpoint's last accepted one, without its subject, since it
    /// shows when the endpoint last worked.
    private static func forgetAttempts(of subject: SQL, _ which: SQL = "", in tx: Transaction) throws {
        try tx.run(
            """
            UPDATE attempt SET subject = '' WHERE subject = \(subject) \(which) AND class = \(failure: .accepted) AND NOT EXISTS (
                SELECT 1 FROM attempt AS later WHERE stage = attempt.stage AND class = \(failure: .accepted)
                AND \(Unreadable.isUnderstood) AND ended_at > attempt.ended_at
            )
            """
        )
        try tx.run("DELETE FROM attempt WHERE subject = \(subject) \(which)")
    }

    /// Destroys the data key of a card and everything that is personal; its rows in `input` stay.
    static func destroy(_ card: CardID, in tx: Transaction) throws {
        try tx.run("DELETE FROM card_key WHERE card = \(card)")
        try tx.run("DELETE FROM blob WHERE card = \(card)")
        try tx.run("DELETE FROM reading WHERE card = \(card)")
        try tx.run("DELETE FROM decision WHERE card = \(card) AND dropped = 0")
        // Dropped decisions stay without their comments: the persons who made them must still see that they were dropped.
        try tx.run("UPDATE decision SET message = NULL WHERE card = \(card)")
        try Tally.addMoves(of: card, in: tx)
        try tx.run("DELETE FROM event WHERE card = \(card) AND state <> \(literal: .erased)")
        try tx.run(
            """
            UPDATE card SET metadata = NULL, message = NULL, source = NULL, prepared = NULL, host = NULL, holder = NULL
            WHERE id = \(card)
            """
        )
    }
}
