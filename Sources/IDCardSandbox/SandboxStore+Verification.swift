import Foundation
import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func claimPrepared(
        limit: Int,
        order: ClaimOrder,
        until expiry: Timestamp,
        now: Timestamp
    ) async throws -> [Card] {
        try await self.claim(by: VerificationSQL.claims(in: order), limit: limit, until: expiry, now: now)
    }

    package func preparedImage(of card: CardID) async throws -> PreparedImage {
        if let image = self.recent.image(of: card) { return image }
        return try await self.read { db in
            let row = try Row.fetchOne(db, cached: "SELECT * FROM image WHERE card = ?", arguments: [card.rawValue])
            guard let row else { throw StoreError(.notFound, "card \(card) has no prepared image") }
            let jpeg = try self.vault.open(row["jpeg"], card: card.rawValue, column: "image.jpeg", in: db)
            let digest = try self.vault.open(row["digest"], card: card.rawValue, column: "image.digest", in: db)
            guard ContentDigest(of: jpeg).bytes == digest else { throw Self.corrupt("image.jpeg of card \(card)") }
            return PreparedImage(
                jpeg: jpeg,
                width: row["width"],
                height: row["height"],
                digest: ContentDigest(stored: digest)
            )
        }
    }

    package func reading(for key: ReadingKey) async throws -> CardReading? {
        try await self.read { db in
            try Row.fetchOne(
                db,
                cached: VerificationSQL.reading,
                arguments: [self.fingerprint(of: key), key.provider, key.parameters]
            ).flatMap { row in
                // One that does not open is as good as none: the verifier is asked again.
                try self.unlessDamaged { try self.reading(from: row, in: db) }
            }
        }
    }

    package func conclude(
        _ claimed: Card,
        as conclusion: VerificationConclusion,
        attempt: AttemptRecord?,
        now: Timestamp
    ) async throws -> Card {
        let owner = try self.owner
        let card = claimed.id
        let concluded = try await self.writer.write(byteCount: conclusion.byteCount) { db in
            let before = try self.requireCard(card, in: db)
            // The lease alone does not tell: the same owner may have claimed it anew since.
            guard before.stands(as: claimed) else { throw Self.notLeased(card) }
            if case .judged = conclusion, before.metadata != claimed.metadata { return before }
            if let attempt {
                try self.record(attempt, of: card, now: now, in: db)
                if attempt.mayHaveRevealed {
                    let origin = AccessOrigin.engine(owner, purpose: AccessPurpose.verify)
                    try self.chain.append(.verify, of: card, by: origin, now: now, in: db)
                }
            }
            var transition = CardTransition(card: card, from: .prepared, to: .prepared, leasedBy: owner, now: now)
            switch conclusion {
            case .judged(let reading, let key, let verdict, let warnings):
                try self.keep(reading, for: key, of: card, now: now, in: db)
                (transition.to, transition.reason, transition.message) = verdict.consequence
                try self.perform(transition, in: db)
                for warning in warnings { try self.append(CardEvent(warning, at: now), to: card, in: db) }
            case .rejected(let reason, let message):
                (transition.to, transition.reason, transition.message) = (.rejected, reason, message)
                try self.perform(transition, in: db)
            case .failed(let reason, let message):
                (transition.to, transition.reason, transition.message) = (.failed, reason, message)
                transition.attempts = before.attempts + (attempt == nil ? 0 : 1)
                try self.perform(transition, in: db)
            case .retry(let time, let attempts):
                try self.postpone(
                    card,
                    in: .prepared,
                    until: time,
                    attempts: attempts,
                    owner: owner,
                    in: db
                )
            case .shrunk(let image):
                try self.postpone(card, in: .prepared, until: nil, attempts: 0, owner: owner, in: db)
                try self.shrink(card, to: image, now: now, in: db)
            }
            if let attempt { try self.note(attempt, of: [card], at: .verify, now: now, in: db) }
            return try self.requireCard(card, in: db)
        }
        self.remember(concluded, as: conclusion)
        return concluded
    }

    /// Keeps what the next stages need of a card.
    private func remember(_ card: Card, as conclusion: VerificationConclusion) {
        switch conclusion {
        case .judged(let reading, _, _, _) where card.state == .verified:
            // What the sender says later of the card's holder is not masked until the card is read again: no remote is
            // told of it, so none can repeat it.
            self.recent.note(Self.confidential(of: card.metadata, [reading]), of: card.id)
        case .judged where card.state == .prepared, .retry: return
        case .shrunk(let image): self.recent.keep(image, of: card.id, isShrunk: true)
        case .judged, .rejected, .failed: self.recent.forget([card.id])
        }
    }

    package func confidential(of cards: [CardID]) async throws -> [Redacted<String>] {
        let known = cards.map(self.recent.confidential(of:))
        if known.allSatisfy({ $0 != nil }) { return known.flatMap { $0 ?? [] } }
        return try await self.read { db in
            try cards.flatMap { try self.confidential(of: $0, in: db) }
        }
    }

    private func confidential(of id: CardID, in db: Database) throws -> [Redacted<String>] {
        guard let card = try self.fetchCard(id, in: db) else { return [] }
        let row = try Row.fetchOne(db, cached: VerificationSQL.readingOfCard, arguments: [id.rawValue])
        // A reading that does not open cannot be masked by, nor need it keep its image from being delivered.
        let reading = try row.flatMap { row in try self.unlessDamaged { try self.reading(from: row, in: db) } }
        return Self.confidential(of: card.metadata, reading.map { [$0] } ?? [])
    }

    private static func confidential(of metadata: CardMetadata, _ readings: [CardReading]) -> [Redacted<String>] {
        readings.flatMap { [$0] + $0.others }.flatMap(\.fields.all)
            + [metadata.expectedName, metadata.expectedIDNumber].compactMap { $0 }
    }
}

// MARK: - Steps within one transaction

extension SandboxStore {
    /// Writes the row and the event of an attempt that has ended.
    private func record(_ attempt: AttemptRecord, of card: CardID, now: Timestamp, in db: Database) throws {
        try db.execute(
            cached: """
                INSERT INTO attempt (card, ordinal, started_at, ended_at, class, code, http_status)
                SELECT :card, COALESCE(MAX(ordinal), 0) + 1, :started, :ended, :class, :code, :status
                FROM attempt WHERE card = :card
                """,
            arguments: [
                "card": card.rawValue, "started": attempt.startedAt.millisecondsSinceEpoch,
                "ended": now.millisecondsSinceEpoch, "class": attempt.failureClass.rawValue,
                "code": attempt.code, "status": attempt.httpStatus,
            ]
        )
        try self.append(CardEvent(at: now, kind: "attempt", code: attempt.code), to: card, in: db)
    }

    private func keep(
        _ reading: CardReading,
        for key: ReadingKey,
        of card: CardID,
        now: Timestamp,
        in db: Database
    ) throws {
        let content = try self.vault.seal(Self.encode(reading), card: card.rawValue, column: "reading.content", in: db)
        try db.execute(
            cached: """
                INSERT OR REPLACE INTO reading (card, key_fingerprint, provider, parameters, content, created_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                card.rawValue, self.fingerprint(of: key), key.provider, key.parameters, content,
                now.millisecondsSinceEpoch,
            ]
        )
        try db.execute(
            cached: "UPDATE card SET side = ?, holder_fingerprint = ? WHERE id = ?",
            arguments: [reading.side?.rawValue, self.vault.holderFingerprint(of: reading), card.rawValue]
        )
    }

    private static func notLeased(_ card: CardID) -> StoreError {
        StoreError(.conflict, "card \(card) is not leased for verification any more; nothing was changed")
    }

    private func shrink(_ card: CardID, to image: PreparedImage, now: Timestamp, in db: Database) throws {
        try self.store(image, of: card, in: db)
        try db.execute(cached: "UPDATE card SET is_shrunk = 1 WHERE id = ?", arguments: [card.rawValue])
        try self.append(CardEvent(at: now, kind: "shrunk"), to: card, in: db)
    }

    /// Makes a reading from a row of `reading` with its card.
    func reading(from row: Row, in db: Database) throws -> CardReading {
        let content = try self.vault.open(row["content"], card: row["card"], column: "reading.content", in: db)
        return try Self.decode(CardReading.self, from: content, in: "reading.content")
    }

    private func fingerprint(of key: ReadingKey) -> Data {
        self.vault.fingerprint(key.imageDigest.bytes, purpose: Vault.Purpose.reading)
    }
}

extension Verdict {
    /// The state that a card enters by this verdict, with the reason and the message beside it.
    fileprivate var consequence: (CardState, ReasonCode?, String?) {
        switch self {
        case .accepted: (.verified, nil, nil)
        case .rejected(let reason, let message): (.rejected, reason, message)
        case .held(let reason, let message): (.held, reason, message)
        }
    }
}

extension VerificationConclusion {
    /// The size of the image that it brings, if any.
    fileprivate var byteCount: Int {
        if case .shrunk(let image) = self { image.jpeg.count } else { 0 }
    }
}
