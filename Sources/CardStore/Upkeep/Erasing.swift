package import CardModel
import Foundation
import GRDB
import Synchronization

extension SandboxUpkeep {
    /// Erases cards for good: the data key and all that it sealed go in one transaction; a tombstone without personal data
    /// stays, and the same file does not bring the card back. Cards that cannot be unsealed are erased, too.
    ///
    /// The delivery of a card is closed: its other members are `outcome_unknown`, or `verified` if it surely was not applied.
    ///
    /// - Parameter listed: when the cards were selected; those that have changed since stay.
    /// - Returns: the result for each; a card that was erased before has its earlier certificate.
    /// - Throws: `not_found` before anything is erased.
    @discardableResult
    package func erase(
        _ cards: [CardID],
        because reason: ReasonCode,
        selectedAt listed: Timestamp? = nil,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> ErasureOutcome {
        try await Erasure(store: self.sandbox, reason: reason, origin: origin, now: now).run(cards, selectedAt: listed)
    }

    func certificates(of cards: [CardID]) async throws -> [ErasureCertificate] {
        try await self.read { tx in
            try cards.compactMap { card in
                if let certificate = try ErasureCertificate(of: card, in: tx) { return certificate }
                // A restore may have taken over a tombstone without the log.
                let reported: SQL = "SELECT 1 FROM access_log WHERE card = card.id AND action = \(AccessAction.erase)"
                let erased: SQL = "id = \(card) AND state = \(literal: .erased) AND EXISTS (\(reported))"
                guard try !tx.exists("SELECT 1 FROM card WHERE \(erased)") else {
                    throw CodedError.damaged(.sandboxDamaged)
                }
                return nil
            }
        }
    }

    /// The positions, from 1, of erased cards in their deliveries: the documents that the built-in backend must erase.
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
    /// - Returns: whether it is empty; while a process reads, it is not, and the next heartbeat tries again.
    @discardableResult
    func freeErased() async -> Bool {
        let isEmpty = await self.emptyLog()
        // Restore the reserve at once: no other process may be at work, and the next erasure may find the disk full again.
        self.sandbox.intake.reserve.ensure(freeBytes: self.sandbox.intake.freeBytes, beside: 0)
        return isEmpty
    }

    /// Gives free pages back and empties the log, without the reserve for a full disk. No writer waits for readers.
    ///
    /// - Parameter ifDue: whether only if a process has erased cards since the last time.
    @discardableResult
    func emptyLog(ifDue: Bool = false) async -> Bool {
        if !ifDue { self.sandbox.emptiedAt.withLock { $0 = nil } }
        let due = try? await self.read { tx in
            let logged: Int64? = try tx.value("SELECT max(number) FROM access_log")
            return (erased: try Tally.counts(in: tx)[.erased]?.entered ?? 0, logged ?? 0)
        }
        guard let (erased, scrubbed) = due else { return false }
        guard self.sandbox.emptiedAt.withLock({ $0 }) != erased else { return true }
        // In portions, between which others may write.
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
            // Set while no other process writes: later deletions make the log due again.
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
    /// Why others are not erased: another person decided something else.
    package fileprivate(set) var refused: [CodedError] = []
    /// The error that stopped the rest, if some were erased before it.
    package fileprivate(set) var failure: (any Error)?
}

/// The erasing of cards, in transactions of a few cards each.
struct Erasure: Sendable {
    /// A step of an erasure, for tests.
    enum Step: String, CaseIterable, Sendable {
        /// The rows are gone within the transaction.
        case begun
        /// The lines are durable in the list of erasures.
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
    /// Called at each step.
    var reached: @Sendable (Step) -> Void = { _ in }

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
                // The cards that were erased need their certificates.
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

    /// Erases the cards that need no second person, or that one has confirmed.
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

    /// - Parameter origins: the origins of cards that differ from this erasure's own.
    /// - Returns: the cards that were not erased before.
    func erase(_ cards: [CardID], by origins: [CardID: AccessOrigin] = [:], in tx: Transaction) throws -> [CardID] {
        var entries: [ErasureList.Entry] = []
        for card in cards {
            let row = try self.store.decisions.row(card, for: .erase, by: self.origin.caller, in: tx)
            let origin = origins[card] ?? self.origin
            if row.state != .erased { entries.append(try self.erase(row, by: origin, in: tx)) }
        }
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
        // Its event first: the number of a deleted event would be reused, and a client that knows the number would miss this one.
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

    /// Deletes the attempts for an erased card, whose tombstone says what counts, and the deliveries without another card: when
    /// it is erased, and when a call ends that was in progress then.
    static func fold(_ card: CardID, of store: Sandbox, in tx: Transaction) throws {
        // The answer to an attempt of a worker that was considered dead may still come.
        let mayAnswer: SQL = "(ended_at IS NULL OR coalesce(code, '') = 'interrupted')"
        try Self.forgetAttempts(of: "\(card)", "AND NOT \(mayAnswer)", in: tx)
        // The built-in backend learns later which of its documents it must erase.
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

    /// Deletes the attempts for a card or delivery. The last one that an endpoint accepted stays without a subject: it shows
    /// that the endpoint works.
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
        // The persons who decided must still see that their decisions were dropped.
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
