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
        // A card has few lines: they are filtered by ``matches(_:)``.
        if let card = self.card { return ["card = \(card)"] }
        // The lines of the engine, which are a thousand times as many, are not read.
        let person: SQL = self.subject.map { "subject = \($0)" } ?? "subject IS NOT NULL"
        return (self.action.map { [$0] } ?? AccessAction.allCases).map { "action = \($0) AND \(person)" }
    }

    /// Whether a line is listed: the rule of ``conditions`` for a line that was read.
    fileprivate func matches(_ line: AccessRecord) -> Bool {
        (self.subject.map { $0 == line.subject } ?? true) && (self.action.map { $0.rawValue == line.action } ?? true)
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

extension CardStore {
    /// Lists lines of the access log, the newest first, after the last line of the page before.
    ///
    /// - Throws: `scope_missing`.
    package func accessLines(
        _ filter: LogFilter,
        before number: Int64?,
        limit: Int,
        for caller: Caller
    ) async throws -> [AccessRecord] {
        guard caller.has(AccessAction.log.scopes) else { throw Self.scopeMissing(.log) }
        let limit = min(limit, Limits.pageSize)
        let size = filter.card == nil ? limit : Limits.pageSize
        return try await self.read { tx in
            // The indexes are in the order of time, which differs from that of numbers if a clock was set back.
            let at = try tx.value("SELECT at FROM access_log WHERE number = \(number)", as: Timestamp.self)
            guard number == nil || at != nil else { return [] }
            return try AccessRecord.first(limit, where: filter.matches, pageSize: size) { last in
                let place: SQL =
                    (last?.at ?? at).map { "AND (at, number) < (\($0), \(last?.number ?? number))" } ?? ""
                let order: SQL = "ORDER BY at DESC, number DESC"
                let page: SQL = "\(order) LIMIT \(size)"
                let pages: [SQL] = filter.conditions.map {
                    "SELECT * FROM (SELECT number, at FROM access_log WHERE \($0) \(place) \(page)) AS page"
                }
                let numbers: SQL = "SELECT number FROM (\(SQL.joined(pages, by: " UNION ALL "))) AS page \(page)"
                return try AccessRecord.all("WHERE number IN (\(numbers)) \(order)", in: tx)
            }
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

    /// Walks the whole access log, as `fsck` does; returns the number of lines and of findings.
    package func checkAccessLog() async throws -> (lines: Int, findings: Int) {
        try await self.read { tx in
            let lines: Int = try tx.value("SELECT count(*) FROM access_log") ?? 0
            return (lines, try AccessLog.findings(by: self.vault, in: tx).count)
        }
    }
}
