import Foundation
import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func receive(_ reception: Reception, as id: CardID, now: Timestamp) async throws -> ReceptionOutcome {
        // Asked of a reader first: a sender that repeats itself is answered on a full disk, too.
        if let receipt = reception.receipt, let known = try await self.outcome(of: receipt) { return known }
        return try await self.writer.write(byteCount: reception.byteCount, mayUseReserve: false) { db in
            if let receipt = reception.receipt, let known = try self.outcome(of: receipt, in: db) { return known }
            let outcome = try self.take(reception, as: id, now: now, in: db)
            if let receipt = reception.receipt, let card = outcome.card, card.says(reception.metadata) {
                try self.keep(receipt, for: card.id, now: now, in: db)
            }
            return outcome
        }
    }

    package func outcome(of receipt: Receipt) async throws -> ReceptionOutcome? {
        try await self.read { try self.outcome(of: receipt, in: $0) }
    }

    package func forgetReceipts(before time: Timestamp) async throws -> Int {
        let isDue = try await self.read { db in
            try Bool.fetchOne(db, cached: ReceptionSQL.hasOldReceipts, arguments: [time.millisecondsSinceEpoch])
        }
        guard isDue == true else { return 0 }
        return try await self.writer.write { db in
            try db.execute(cached: ReceptionSQL.forgetReceipts, arguments: [time.millisecondsSinceEpoch])
            return db.changesCount
        }
    }

    package func queueDepth(upTo limit: Int) async throws -> Int {
        try await self.read { db in
            try Int.fetchOne(db, cached: ReceptionSQL.queueDepth, arguments: [max(0, limit)]) ?? 0
        }
    }

    package func waitingDepth(upTo limit: Int) async throws -> Int {
        try await self.read { db in
            try Int.fetchOne(db, cached: ReceptionSQL.waitingDepth, arguments: [max(0, limit)]) ?? 0
        }
    }
}

// MARK: - Steps within one transaction

extension SandboxStore {
    private func take(
        _ reception: Reception,
        as id: CardID,
        now: Timestamp,
        in db: Database
    ) throws -> ReceptionOutcome {
        let metadata = reception.metadata
        if let place = reception.place,
            let known = try self.card(ofFile: place, businessNumber: metadata.businessNumber, in: db),
            known.state != .rejected
        {
            return .duplicate(try self.takeOver(metadata, into: known, now: now, in: db))
        }
        switch reception.source {
        case .bytes(let source):
            if let known = try self.cardOfContent(source.digest, businessNumber: metadata.businessNumber, in: db) {
                return .duplicate(try self.takeOver(metadata, into: known, now: now, in: db))
            }
            let content = self.vault.fingerprint(source.digest.bytes, purpose: Vault.Purpose.source)
            try self.insert(reception.row(id, .received, content: content), kind: Self.receivedEvent, now: now, in: db)
            try self.store(source, of: id, in: db)
        case .address(let address):
            // Until the bytes are known: no two of these are the same card.
            let content = Data.random(count: 32)
            try self.insert(reception.row(id, .fetching, content: content), kind: Self.receivedEvent, now: now, in: db)
            try db.execute(
                cached: "INSERT INTO fetch (card, url) VALUES (?, ?)",
                arguments: [
                    id.rawValue, try self.vault.seal(address.url, card: id, column: Self.urlColumn, in: db),
                ]
            )
        }
        if let place = reception.place {
            try self.remember(place, of: id, businessNumber: metadata.businessNumber, in: db)
        }
        return .admitted(try self.requireCard(id, in: db))
    }

    private func outcome(of receipt: Receipt, in db: Database) throws -> ReceptionOutcome? {
        let name = self.fingerprint(ofNameOf: receipt)
        guard let row = try Row.fetchOne(db, cached: ReceptionSQL.receipt, arguments: [name]) else { return nil }
        guard row["request_fingerprint"] == self.fingerprint(ofRequestOf: receipt) else { return .nameReused }
        return .repeated(try self.requireCard(CardID(rawValue: row["card"]), in: db))
    }

    private func keep(_ receipt: Receipt, for card: CardID, now: Timestamp, in db: Database) throws {
        try db.execute(
            cached: ReceptionSQL.keepReceipt,
            arguments: [
                self.fingerprint(ofNameOf: receipt), self.fingerprint(ofRequestOf: receipt), card.rawValue,
                now.millisecondsSinceEpoch,
            ]
        )
    }

    private func fingerprint(ofNameOf receipt: Receipt) -> Data {
        let scope =
            switch receipt.scope {
            // As a digest of fixed length: whatever callers are called, no two share an input.
            case .idempotencyKey(let caller): Data("key".utf8) + ContentDigest(of: Data(caller.utf8)).bytes
            case .webhook: Data("webhook".utf8)
            }
        return self.vault.fingerprint(scope + [0] + Data(receipt.name.utf8), purpose: Vault.Purpose.receipt)
    }

    /// Bound to the name, so that equal requests under two names do not look alike.
    private func fingerprint(ofRequestOf receipt: Receipt) -> Data {
        self.vault.fingerprint(
            self.fingerprint(ofNameOf: receipt) + receipt.request.bytes,
            purpose: Vault.Purpose.receipt
        )
    }

    private static let receivedEvent = "received"
    static let urlColumn = "fetch.url"
    static let validatorColumn = "fetch.validator"
}

extension Reception {
    /// The size of what it brings.
    fileprivate var byteCount: Int {
        switch self.source {
        case .bytes(let source): source.byteCount
        case .address: 0
        }
    }

    /// The row of its card.
    fileprivate func row(_ id: CardID, _ state: CardState, content: Data) -> CardRow {
        CardRow(id: id, state: state, metadata: self.metadata, content: content, intakeOrder: self.intakeOrder)
    }
}

extension ReceptionOutcome {
    /// The card that its receipt is to lead to.
    fileprivate var card: Card? {
        switch self {
        case .admitted(let card), .duplicate(let card), .repeated(let card): card
        case .nameReused: nil
        }
    }
}
