import Foundation
import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func noteMetadataFile(inFolder path: Redacted<String>, now: Timestamp) async throws {
        try await self.writer.write { db in
            try db.execute(
                cached: "INSERT OR IGNORE INTO watched_folder (path_fingerprint, noted_at) VALUES (?, ?)",
                arguments: [self.fingerprint(ofFolder: path), now.millisecondsSinceEpoch]
            )
        }
    }

    package func hasHeldMetadataFile(inFolder path: Redacted<String>) async throws -> Bool {
        try await self.read { db in
            try Bool.fetchOne(
                db,
                cached: "SELECT EXISTS (SELECT 1 FROM watched_folder WHERE path_fingerprint = ?)",
                arguments: [self.fingerprint(ofFolder: path)]
            ) ?? false
        }
    }

    private func fingerprint(ofFolder path: Redacted<String>) -> Data {
        self.vault.fingerprint(Data(path.reveal().utf8), purpose: Vault.Purpose.watchedFolder)
    }

    package func amend(
        _ photo: TakenPhoto,
        under number: BusinessNumber,
        with metadata: CardMetadata,
        now: Timestamp
    ) async throws -> Amendment {
        let place = self.fingerprint(ofPath: photo.path, under: number)
        // Most sidecars that lie alone are early, not late: asked of a reader first.
        let isKnown = try await self.read { db in
            try Row.fetchOne(db, cached: IntakeSQL.lastCardOfPath, arguments: [place]) != nil
        }
        guard isKnown else { return .unknown }
        return try await self.writer.write { db in
            guard let row = try Row.fetchOne(db, cached: IntakeSQL.lastCardOfPath, arguments: [place]) else {
                return .unknown
            }
            if case .file(let file) = photo {
                let known = (Int64(bitPattern: file.inode), file.size, file.modifiedNanoseconds)
                guard known == (row["inode"], row["size"], row["modified_ns"]) else { return .unknown }
            }
            let card = try self.card(from: row, in: db)
            var isCertain = true
            if case .only = photo { isCertain = !(row["is_reused"] as Bool) }
            guard isCertain, card.metadata.isBare else { return .uncertain(card.id) }
            guard card.state.takesMetadataOver, try !self.mayBeAtBackend(card.id, in: db) else {
                return .tooLate(card)
            }
            guard metadata.businessNumber != number else {
                return .applied(try self.takeOver(metadata, into: card, now: now, in: db))
            }
            guard !(row["is_leased"] as Bool) else { return .busy(card.id) }
            let there = self.fingerprint(ofPath: photo.path, under: metadata.businessNumber)
            return .applied(try self.renumber(card, to: metadata, at: place, there, now: now, in: db))
        }
    }

    /// Gives a card, which nobody works on, the business number that its sender says.
    ///
    /// - Parameters:
    ///   - old: the fingerprint of its path under its number.
    ///   - new: the same under the new one.
    private func renumber(
        _ card: Card,
        to metadata: CardMetadata,
        at old: Data,
        _ new: Data,
        now: Timestamp,
        in db: Database
    ) throws -> Card {
        let number = metadata.businessNumber.rawValue
        let twin = try Row.fetchOne(db, cached: IntakeSQL.twin, arguments: [number, card.id.rawValue])
            .map { try self.card(from: $0, in: db) }
        try db.execute(
            cached: IntakeSQL.renumberFile,
            arguments: [new, (twin ?? card).id.rawValue, old]
        )
        if let twin {
            try self.perform(
                CardTransition(card: card.id, from: card.state, to: .superseded, reason: .duplicate, now: now),
                in: db
            )
            return try self.takeOver(metadata, into: twin, now: now, in: db)
        }
        try db.execute(cached: IntakeSQL.renumberCard, arguments: [number, card.id.rawValue])
        if (card.side ?? metadata.side) != .back {
            // The sidecars of its backs may be on their way, too.
            try db.execute(
                cached: FrontSQL.restartWait,
                arguments: [now.millisecondsSinceEpoch, card.metadata.businessNumber.rawValue]
            )
        }
        try self.append(CardEvent(at: now, kind: "renumbered"), to: card.id, in: db)
        return try self.takeOver(metadata, into: self.requireCard(card.id, in: db), now: now, in: db)
    }
}
