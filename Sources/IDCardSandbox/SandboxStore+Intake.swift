import Foundation
import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func reserveIntakeOrders(_ count: Int) async throws -> Int64 {
        precondition(count >= 0, "places to reserve must not be negative, got \(count)")
        return try await self.writer.write { try Self.reserveIntakeOrders(count, in: $0) }
    }

    package func cards(ofFiles files: [(file: FileIdentity, businessNumber: BusinessNumber)]) async throws -> [Card?] {
        try await self.read { db in
            try files.map { try self.card(ofFile: $0.file, businessNumber: $0.businessNumber, in: db) }
        }
    }

    package func recognise(
        _ digest: ContentDigest,
        metadata: CardMetadata,
        file: FileIdentity?,
        now: Timestamp
    ) async throws -> Card? {
        // Most inputs are new: asked of a reader first, so that they do not wait for the writer.
        let isKnown = try await self.read { db in
            try self.cardOfContent(digest, businessNumber: metadata.businessNumber, in: db) != nil
                || self.tombstone(of: file, digest, businessNumber: metadata.businessNumber, in: db) != nil
        }
        guard isKnown else { return nil }
        return try await self.writer.write { db in
            try self.recognise(digest, metadata: metadata, file: file, now: now, in: db)
        }
    }

    package func admit(_ admission: Admission, now: Timestamp) async throws -> AdmissionOutcome {
        let outcome = try await self.writer.write(
            byteCount: admission.content.byteCount,
            mayUseReserve: false
        ) { db -> AdmissionOutcome in
            let known = try self.recognise(
                admission.sourceDigest,
                metadata: admission.metadata,
                file: admission.file,
                now: now,
                in: db
            )
            if let known { return .duplicate(known) }
            try self.insert(admission, now: now, in: db)
            return .admitted(try self.requireCard(admission.id, in: db))
        }
        if case .admitted(let card) = outcome, case .prepared(let image) = admission.content {
            self.recent.keep(image, of: card.id, isShrunk: false)
        }
        return outcome
    }

    package func update(_ card: CardID, with metadata: CardMetadata, now: Timestamp) async throws -> Card {
        // Most of what was superseded stays so: asked of a reader first, so that it does not wait for the writer.
        let replaced = try await self.read { db -> Card? in
            let known = try self.requireCard(card, in: db)
            return try known.mayComeBack && self.isReplaced(known, in: db) ? known : nil
        }
        if let replaced { return replaced }
        return try await self.writer.write { db in
            try self.takeOver(metadata, into: self.requireCard(card, in: db), now: now, in: db)
        }
    }
}

// MARK: - Steps within one transaction

extension SandboxStore {
    /// The card, be it a tombstone, that a file became under a business number.
    func card(ofFile file: FileIdentity, businessNumber: BusinessNumber, in db: Database) throws -> Card? {
        // Read where it lies: a second run asks for every input, and copying a row takes as long as finding it.
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: IntakeSQL.cardOfFile),
            arguments: [
                self.fingerprint(of: file, under: businessNumber),
                Int64(bitPattern: file.inode), file.size, file.modifiedNanoseconds,
            ]
        )
        // The row is gone with its cursor.
        return try withExtendedLifetime(rows) { try rows.next().map { try self.card(from: $0, in: db) } }
    }

    private func recognise(
        _ digest: ContentDigest,
        metadata: CardMetadata,
        file: FileIdentity?,
        now: Timestamp,
        in db: Database
    ) throws -> Card? {
        let known = try self.cardOfContent(digest, businessNumber: metadata.businessNumber, in: db)
        guard let known else {
            let number = metadata.businessNumber
            guard let file, let erased = try self.tombstone(of: file, digest, businessNumber: number, in: db) else {
                return nil
            }
            try self.remember(file, of: erased, holding: digest, businessNumber: number, in: db)
            return try self.requireCard(erased, in: db)
        }
        if let file {
            try self.remember(file, of: known.id, holding: digest, businessNumber: metadata.businessNumber, in: db)
        }
        return try self.takeOver(metadata, into: known, now: now, in: db)
    }

    private func insert(_ admission: Admission, now: Timestamp, in db: Database) throws {
        var row = CardRow(
            id: admission.id,
            state: .prepared,
            metadata: admission.metadata,
            content: self.vault.fingerprint(admission.sourceDigest.bytes, purpose: Vault.Purpose.source),
            intakeOrder: admission.intakeOrder
        )
        if case .refused(let reason, let message) = admission.content {
            (row.state, row.reason, row.message) = (.rejected, reason, message)
        }
        try self.insert(row, kind: "admitted", now: now, in: db)
        if case .prepared(let image) = admission.content { try self.store(image, of: admission.id, in: db) }
        if let file = admission.file {
            try self.remember(
                file,
                of: admission.id,
                holding: admission.sourceDigest,
                businessNumber: admission.metadata.businessNumber,
                in: db
            )
        }
    }

    /// Stores the image of a card in place of any other.
    func store(_ image: PreparedImage, of card: CardID, in db: Database) throws {
        try db.execute(
            cached: """
                INSERT OR REPLACE INTO image (card, width, height, byte_count, digest, jpeg) VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                card.rawValue, image.width, image.height, image.jpeg.count,
                try self.vault.seal(image.digest.bytes, card: card.rawValue, column: "image.digest", in: db),
                try self.vault.seal(image.jpeg, card: card.rawValue, column: "image.jpeg", in: db),
            ]
        )
    }

    private func remember(
        _ file: FileIdentity,
        of card: CardID,
        holding digest: ContentDigest,
        businessNumber: BusinessNumber,
        in db: Database
    ) throws {
        let place = try self.remember(file, of: card, businessNumber: businessNumber, in: db)
        try db.execute(
            cached: IntakeSQL.rememberContent,
            arguments: [self.fingerprint(of: digest, at: place), place]
        )
    }

    /// Notes which card a file became, whatever it holds; returns the fingerprint of its place.
    @discardableResult
    func remember(
        _ file: FileIdentity,
        of card: CardID,
        businessNumber: BusinessNumber,
        in db: Database
    ) throws -> Data {
        let place = self.fingerprint(of: file, under: businessNumber)
        try db.execute(
            cached: IntakeSQL.rememberFile,
            arguments: [
                place, Int64(bitPattern: file.device), Int64(bitPattern: file.inode), file.size,
                file.modifiedNanoseconds, card.rawValue,
            ]
        )
        try self.endAwaiting(place, under: businessNumber, in: db)
        return place
    }

    /// The erased card that a file held, by its path, business number and bytes.
    private func tombstone(
        of file: FileIdentity?,
        _ digest: ContentDigest,
        businessNumber: BusinessNumber,
        in db: Database
    ) throws -> CardID? {
        guard let file else { return nil }
        let place = self.fingerprint(of: file, under: businessNumber)
        return try String.fetchOne(
            db,
            cached: IntakeSQL.erasedCardOfFile,
            arguments: [place, self.fingerprint(of: digest, at: place)]
        ).map(CardID.init)
    }

    /// What a file held, in a form that matches nothing but the same bytes at the same place.
    private func fingerprint(of digest: ContentDigest, at place: Data) -> Data {
        self.vault.fingerprint(place + digest.bytes, purpose: Vault.Purpose.content)
    }

    /// The card, not erased, that holds some source bytes under a business number.
    func cardOfContent(
        _ digest: ContentDigest,
        businessNumber: BusinessNumber,
        in db: Database
    ) throws -> Card? {
        let fingerprint = self.vault.fingerprint(digest.bytes, purpose: Vault.Purpose.source)
        return try Row.fetchOne(
            db,
            cached: IntakeSQL.cardOfContent,
            arguments: [fingerprint, businessNumber.rawValue]
        ).map { try self.card(from: $0, in: db) }
    }

    private func fingerprint(of file: FileIdentity, under businessNumber: BusinessNumber) -> Data {
        self.fingerprint(ofPath: file.path, under: businessNumber)
    }

    /// What stands for a path under a business number.
    func fingerprint(ofPath path: Redacted<String>, under businessNumber: BusinessNumber) -> Data {
        // No path holds a zero byte, so no two pairs share an input.
        let (path, number) = (path.reveal(), businessNumber.rawValue)
        var place = Data(capacity: path.utf8.count + 1 + number.utf8.count)
        place.append(contentsOf: path.utf8)
        place.append(0)
        place.append(contentsOf: number.utf8)
        return self.vault.fingerprint(place, purpose: Vault.Purpose.path)
    }
}

extension Admission.Content {
    /// The size of the image, if there is one.
    fileprivate var byteCount: Int {
        switch self {
        case .prepared(let image): image.jpeg.count
        case .refused: 0
        }
    }
}
