package import CardModel
package import Foundation

/// Everything that the sandbox holds of one card, opened: for the person whose card it is.
package struct CardExport: Sendable {
    /// The card, what its sender said, the reading, its history and its attempts.
    package var details: CardDetails
    /// The prepared image.
    package var image: PreparedImage?
    /// The source bytes, as far as they are there; they go once the image is prepared.
    package var source: Data?
    /// Where the image is fetched from.
    package var address: Redacted<String>?
    /// Who saw or changed it, and why.
    package var accesses: [AccessRecord]
    /// What its erasure came to, if it is erased.
    package var certificate: ErasureCertificate?
}

/// A line of the access log.
package struct AccessRecord: Hashable, Sendable {
    /// Its number, from 1.
    package var number: Int64
    /// When.
    package var at: Timestamp
    /// Who.
    package var actor: String
    /// What was done: an ``AccessAction``.
    package var action: String
    /// Why.
    package var purpose: String
    /// Which card, if it is about one.
    package var card: CardID?

    fileprivate static let columns: SQL = "number, at, actor, action, purpose, card"

    fileprivate init(_ row: inout Row) throws {
        self.number = try row.next()
        self.at = try row.next()
        self.actor = try row.next()
        self.action = try row.next()
        self.purpose = try row.next()
        self.card = try row.next()
    }
}

extension CardStore {
    /// Exports a card, which the access log notes; what does not open is left out.
    ///
    /// - Throws: `not_found`.
    package func export(_ id: CardID, to origin: AccessOrigin, now: Timestamp) async throws -> CardExport {
        try await self.write(at: now) { tx in
            let row = try CardRow.require(id, in: tx)
            try AccessLog.append(.export, of: [id], by: origin, vault: self.vault, in: tx)
            var export = CardExport(
                details: try self.details(of: id, in: tx),
                accesses: try tx.rows(
                    "SELECT \(AccessRecord.columns) FROM access_log WHERE card = \(id) ORDER BY number"
                ) { try AccessRecord(&$0) }
            )
            if row.state == .erased {
                export.certificate = try Self.certificate(of: id, in: tx)
            } else if let key = try? row.key(self.vault) {
                export.image = try? self.image(of: id, key: key, in: tx)
                export.source = try? self.source(of: id, key: key, in: tx)
                export.address = try? self.address(of: id, key: key, in: tx).address
            }
            return export
        }
    }

    /// Exports the access log page by page, its own line the last.
    package func exportAccessLog(
        to origin: AccessOrigin,
        now: Timestamp,
        writing page: ([AccessRecord]) async throws -> Void
    ) async throws {
        let end = try await self.write(at: now) { tx in
            try AccessLog.append(.export, of: [nil], by: origin, vault: self.vault, in: tx).number
        }
        var last: Int64 = 0
        while last < end {
            let after = last
            let lines = try await self.read { tx in
                try tx.rows(
                    """
                    SELECT \(AccessRecord.columns) FROM access_log WHERE number > \(after) AND number <= \(end)
                    ORDER BY number LIMIT \(Limits.pageSize)
                    """
                ) { try AccessRecord(&$0) }
            }
            guard let line = lines.last else { return }
            last = line.number
            try await page(lines)
        }
    }
}
