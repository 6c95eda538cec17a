package import CardModel
package import Foundation

/// All values of one card, unsealed: for the person whose card it is.
package struct CardExport: Sendable {
    /// The card, its metadata, the reading, its history and its attempts.
    package var details: CardDetails
    /// The bytes of the prepared image, or of the photo as it came; `nil` if neither can be unsealed.
    package var image: Data?
    /// The content type of those bytes, whatever a submitter called them.
    package var imageType: String {
        let format = self.image.map { ImageFormat.sniff($0.prefix(ImageFormat.signatureByteCount)) }
        return format == .png ? "image/png" : "image/jpeg"
    }
}

/// A line of the access log.
package struct AccessRecord: Encodable, Sendable, Record {
    /// Its number, from 1.
    package let number: Int64
    package let at: String
    package let actor: String
    /// Under whose authority; `nil` for the engine.
    @Nullable package var subject: String?
    /// What was done: an ``AccessAction``.
    package let action: String
    package let purpose: String
    /// Which card, if it is about one.
    @Nullable package var cardID: CardID?

    static let columns: SQL = "number, at, actor, subject, action, purpose, card"
    static let tables: SQL = "access_log"

    init(_ row: inout Row) throws {
        (self.number, self.at) = (try row.next(), try row.next(Timestamp.self).description)
        (self.actor, self.subject, self.action) = (try row.next(), try row.next(), try row.next())
        (self.purpose, self.cardID) = (try row.next(), try row.next())
    }
}

extension CardStore {
    /// Exports a card, with a line in the access log; skips values that cannot be unsealed.
    ///
    /// - Throws: `not_found`.
    package func export(_ id: CardID, to origin: AccessOrigin, now: Timestamp) async throws -> CardExport {
        try await self.export(id, as: .export, to: origin, now: now)
    }

    /// Exports a card in the name of another action, which determines the scopes that a caller needs.
    func export(_ id: CardID, as action: AccessAction, to origin: AccessOrigin, now: Timestamp) async throws
        -> CardExport
    {
        try await self.write(at: now) { tx in
            var origin = origin
            let row = try self.row(id, for: action, by: &origin, in: tx)
            try AccessLog.append(action, of: [id], by: origin, vault: self.vault, in: tx)
            let details = try self.details(of: row, for: origin.caller, in: tx)
            return CardExport(details: details, image: try? self.storedImage(of: row, in: tx))
        }
    }

    /// Writes to the access log that the names of photos are about to be written as a list.
    package func logList(to origin: AccessOrigin, now: Timestamp) async throws {
        try await self.write(at: now) { tx in
            try AccessLog.append(.list, of: [nil], by: origin, vault: self.vault, in: tx)
        }
    }

    /// Returns the prepared image, or the source of a photo that is not prepared yet.
    private func storedImage(of row: CardRow, in tx: Transaction) throws -> Data {
        let key = try row.key(self.vault)
        return try self.start(of: row.id, in: tx) == .received
            ? self.source(of: row.id, key: key, in: tx) : self.image(of: row.id, key: key, in: tx).jpeg
    }

    /// Exports the access log page by page, its own line the last.
    package func exportAccessLog(
        to origin: AccessOrigin,
        now: Timestamp,
        writing page: ([AccessRecord]) async throws -> Void
    ) async throws {
        let end = try await self.write(at: now) { tx in
            try AccessLog.append(.log, of: [nil], by: origin, vault: self.vault, in: tx).number
        }
        var last: Int64 = 0
        while last < end {
            let after = last
            let lines = try await self.read { tx in
                let page: SQL = "ORDER BY number LIMIT \(Limits.pageSize)"
                return try AccessRecord.all("WHERE number > \(after) AND number <= \(end) \(page)", in: tx)
            }
            guard let line = lines.last else { return }
            last = line.number
            try await page(lines)
        }
    }
}
