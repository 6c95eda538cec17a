package import CardModel

/// Which lines of the access log are listed. Without a card, only lines of people.
package struct LogFilter: Hashable, Sendable {
    /// Under whose authority.
    package var subject: String?
    package var card: CardID?
    package var action: AccessAction?

    package init(subject: String? = nil, card: CardID? = nil, action: AccessAction? = nil) {
        (self.subject, self.card, self.action) = (subject, card, action)
    }

    /// Conditions that together select the lines, each line once; an index gives the lines of a condition in order.
    fileprivate var conditions: [SQL] {
        if let card = self.card {
            // A card has few lines.
            let others: [SQL?] = [self.subject.map { "subject = \($0)" }, self.action.map { "action = \($0)" }]
            return [SQL.joined(["card = \(card)"] + others.compactMap(\.self).map { .unindexed($0) }, by: " AND ")]
        }
        // The lines of the engine, which are a thousand times as many, are not read.
        let person: SQL = self.subject.map { "subject = \($0)" } ?? "subject IS NOT NULL"
        return (self.action.map { [$0] } ?? AccessAction.allCases).map { "action = \($0) AND \(person)" }
    }
}

/// A line of the access log.
package struct AccessRecord: Encodable, Sendable, Record {
    /// Its number, from 1.
    package let number: Int64
    @UTC package internal(set) var at: Timestamp
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
        (self.number, self.at) = (try row.next(), try row.next())
        (self.actor, self.subject, self.action) = (try row.next(), try row.next(), try row.next())
        (self.purpose, self.cardID) = (try row.next(), try row.next())
    }
}

extension SandboxListings {
    /// Lists lines of the access log, the newest first, after the last line of the page before.
    ///
    /// - Throws: `scope_missing`.
    package func accessLines(
        _ filter: LogFilter,
        before number: Int64?,
        limit: Int,
        for caller: Caller
    ) async throws -> [AccessRecord] {
        guard caller.has(AccessAction.log.scopes) else { throw SandboxDecisions.scopeMissing(.log) }
        return try await self.read { tx in
            // The indexes are in the order of time, which differs from that of numbers if a clock was set back.
            let at = try tx.value("SELECT at FROM access_log WHERE number = \(number)", as: Timestamp.self)
            guard number == nil || at != nil else { return [] }
            let place: SQL = at.map { "AND (at, number) < (\($0), \(number))" } ?? ""
            let order: SQL = "ORDER BY at DESC, number DESC"
            let page: SQL = "\(order) LIMIT \(min(limit, Limits.pageSize))"
            let pages: [SQL] = filter.conditions.map {
                "SELECT * FROM (SELECT number, at FROM access_log WHERE \($0) \(place) \(page)) AS page"
            }
            let numbers: SQL = "SELECT number FROM (\(SQL.joined(pages, by: " UNION ALL "))) AS page \(page)"
            return try AccessRecord.all("WHERE number IN (\(numbers)) \(order)", in: tx)
        }
    }

    /// Writes to the access log that the names of photos are about to be written as a list.
    package func logList(to origin: AccessOrigin, now: Timestamp) async throws {
        try await self.write(at: now) { tx in
            try AccessLog.append(.list, of: [nil], by: origin, vault: self.vault, in: tx)
        }
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

    /// Returns when a person last began a backup; `nil` if none did.
    package func lastBackup() async throws -> Timestamp? {
        let isBackup: SQL = "action = \(AccessAction.backup) AND subject IS NOT NULL"
        return try await self.read { try $0.value("SELECT max(at) FROM access_log WHERE \(isBackup)") }
    }
}
