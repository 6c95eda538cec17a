package import Foundation
import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func claimFetching(limit: Int, until expiry: Timestamp, now: Timestamp) async throws -> [FetchJob] {
        guard limit > 0 else { return [] }
        let owner = try self.owner
        return try await self.writer.write { db in
            let rows = try Row.fetchAll(
                db,
                cached: ClaimSQL.claim(.fetching),
                arguments: [owner, expiry.millisecondsSinceEpoch, now.millisecondsSinceEpoch, limit]
            )
            let jobs = try rows.compactMap { row -> FetchJob? in
                guard let card = try self.claimedCard(from: row, owner: owner, now: now, in: db) else { return nil }
                guard let job = try self.unlessDamaged({ try self.job(of: card, in: db) }) else {
                    try self.endUnreadable(row, owner: owner, now: now, in: db)
                    return nil
                }
                return job
            }
            return jobs.sorted {
                ($1.card.metadata.priority, $0.card.intakeOrder) < ($0.card.metadata.priority, $1.card.intakeOrder)
            }
        }
    }

    package func keep(_ bytes: Data, at offset: Int, of card: CardID, version: FetchedVersion) async throws {
        precondition(offset >= 0, "an offset must not be negative, got \(offset)")
        precondition(bytes.count <= SandboxSchema.largestPiece, "a piece has at most 1 MiB, got \(bytes.count) bytes")
        let owner = try self.owner
        try await self.writer.write(byteCount: bytes.count, mayUseReserve: false) { db in
            guard try self.isLeased(card, in: .fetching, by: owner, db) else {
                throw StoreError(.conflict, "card \(card) is not fetched here any more; nothing was changed")
            }
            try self.note(version, of: card, in: db)
            if !bytes.isEmpty { try self.store(bytes, at: offset, of: card, in: db) }
        }
    }

    package func concludeFetching(
        _ claimed: Card,
        as conclusion: FetchConclusion,
        attempt: AttemptRecord?,
        now: Timestamp
    ) async throws -> Card {
        let (owner, card) = (try self.owner, claimed.id)
        return try await self.writer.write { db in
            let before = try self.requireStanding(claimed, in: db)
            if let attempt { try self.note(attempt, ofFetching: card, now: now, in: db) }
            var transition = CardTransition(card: card, from: .fetching, to: .received, leasedBy: owner, now: now)
            switch conclusion {
            case .complete(let digest):
                try self.complete(before, digest: digest, transition: transition, in: db)
            case .retry(let time, let costsAttempt):
                try self.postpone(
                    card,
                    in: .fetching,
                    until: time,
                    attempts: costsAttempt ? 1 : 0,
                    owner: owner,
                    in: db
                )
            case .rejected(let reason, let message):
                (transition.to, transition.reason, transition.message) = (.rejected, reason, message)
                try self.perform(transition, in: db)
                try self.dropSource(of: card, in: db)
            case .failed(let reason, let message):
                (transition.to, transition.reason, transition.message) = (.failed, reason, message)
                transition.attempts = before.attempts + (attempt == nil ? 0 : 1)
                try self.perform(transition, in: db)
            }
            return try self.requireCard(card, in: db)
        }
    }
}

// MARK: - Steps within one transaction

extension SandboxStore {
    /// What is to be fetched of a card; `nil` if nobody knows where from.
    private func job(of card: Card, in db: Database) throws -> FetchJob? {
        guard let row = try Row.fetchOne(db, cached: ReceptionSQL.fetch, arguments: [card.id.rawValue]),
            let url = try self.vault.openText(row["url"], card: card.id, column: Self.urlColumn, in: db)
        else { return nil }
        var job = FetchJob(card: card, address: ImageAddress(url))
        let version = try self.version(from: row, of: card.id, in: db)
        guard version.validator != nil else {
            // Nobody could say whether what is there and what comes are of the same bytes.
            try self.forgetVersion(of: card.id, in: db)
            return job
        }
        job.pieces = try self.pieces(of: card.id, in: db)
        job.version = job.pieces.isEmpty ? nil : version
        return job
    }

    private func version(from row: Row, of card: CardID, in db: Database) throws -> FetchedVersion {
        FetchedVersion(
            validator: try self.vault.openText(
                row["validator"],
                card: card,
                column: Self.validatorColumn,
                in: db
            ),
            byteCount: row["byte_count"]
        )
    }

    private func forgetVersion(of card: CardID, in db: Database) throws {
        try db.execute(cached: ReceptionSQL.dropPieces, arguments: [card.rawValue])
        try db.execute(
            cached: "UPDATE fetch SET validator = NULL, byte_count = NULL WHERE card = ?",
            arguments: [card.rawValue]
        )
    }

    /// Writes down of what the next pieces are, and drops those that are of something else.
    private func note(_ version: FetchedVersion, of card: CardID, in db: Database) throws {
        guard let row = try Row.fetchOne(db, cached: ReceptionSQL.fetch, arguments: [card.rawValue]) else {
            throw Self.corrupt("fetch of card \(card)")
        }
        let known = try self.version(from: row, of: card, in: db)
        let hasPieces = try Bool.fetchOne(db, cached: ReceptionSQL.hasPieces, arguments: [card.rawValue]) ?? false
        let joined = !hasPieces ? version : known.joined(with: version)
        if joined == nil { try self.forgetVersion(of: card, in: db) }
        let noted = joined ?? version
        guard noted != known || joined == nil else { return }
        try db.execute(
            cached: "UPDATE fetch SET validator = ?, byte_count = ? WHERE card = ?",
            arguments: [
                try self.vault.seal(
                    noted.validator.map(Redacted.init),
                    card: card,
                    column: Self.validatorColumn,
                    in: db
                ),
                noted.byteCount, card.rawValue,
            ]
        )
    }

    private func isLeased(_ card: CardID, in state: CardState, by owner: String, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db,
            cached: "SELECT EXISTS (SELECT 1 FROM card WHERE id = ? AND state = ? AND lease_owner = ?)",
            arguments: [card.rawValue, state.rawValue, owner]
        ) ?? false
    }

    private func complete(
        _ card: Card,
        digest: ContentDigest,
        transition: CardTransition,
        in db: Database
    ) throws {
        let number = card.metadata.businessNumber
        guard let known = try self.cardOfContent(digest, businessNumber: number, in: db) else {
            try self.perform(transition, in: db)
            try self.requireWhole(card.id, in: db)
            try db.execute(cached: ReceptionSQL.dropFetch, arguments: [card.id.rawValue])
            let content = self.vault.fingerprint(digest.bytes, purpose: Vault.Purpose.source)
            try db.execute(
                cached: "UPDATE card SET content_fingerprint = ? WHERE id = ?",
                arguments: [content, card.id.rawValue]
            )
            return
        }
        var end = transition
        (end.to, end.reason) = (.superseded, .duplicate)
        end.message = "the same image is here already as card \(known.id)"
        try self.perform(end, in: db)
        try self.dropSource(of: card.id, in: db)
        // What is known of the place is known of that card: were it rejected, something else may be there by now.
        try db.execute(cached: ReceptionSQL.handOverPlaces, arguments: [known.id.rawValue, card.id.rawValue])
        // What came later says more; the one that is there may be the later of the two.
        if known.intakeOrder < card.intakeOrder {
            _ = try self.takeOver(card.metadata, into: known, now: transition.now, in: db)
        }
    }

    /// - Throws: `StoreError.corrupt`, about this card alone, if the pieces do not join to what was announced.
    private func requireWhole(_ card: CardID, in db: Database) throws {
        let row = try Row.fetchOne(db, cached: ReceptionSQL.fetch, arguments: [card.rawValue])
        let announced = row.flatMap { $0["byte_count"] as Int? }
        let pieces = try self.pieces(of: card, in: db)
        guard let end = FetchJob.endOfWhole(pieces), announced == nil || announced == end else {
            throw StoreError(
                .corrupt,
                "the pieces of the image of card \(card) leave a gap; what is missing is to be fetched, nothing was changed"
            )
        }
    }

    private func note(_ attempt: AttemptRecord, ofFetching card: CardID, now: Timestamp, in db: Database) throws {
        try db.execute(
            cached: ReceptionSQL.noteAttempt,
            arguments: [
                "card": card.rawValue, "started": attempt.startedAt.millisecondsSinceEpoch,
                "ended": now.millisecondsSinceEpoch, "class": attempt.failureClass.rawValue,
                "code": attempt.code, "status": attempt.httpStatus,
            ]
        )
        try self.append(CardEvent(at: now, kind: "attempt", code: attempt.code), to: card, in: db)
    }
}
