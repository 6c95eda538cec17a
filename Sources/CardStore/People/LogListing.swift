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
        // The card selects the fewest lines.
        if let card = self.card {
            let pieces: [SQL?] = [
                self.subject.map { "subject || '' = \($0)" }, self.action.map { "action || '' = \($0)" },
            ]
            return [SQL.joined(["card = \(card)"] + pieces.compactMap(\.self), by: " AND ")]
        }
        // The lines of the engine, which are a thousand times as many, are not read.
        let person: SQL = self.subject.map { "subject = \($0)" } ?? "subject IS NOT NULL"
        return (self.action.map { [$0] } ?? AccessAction.allCases).map { "action = \($0) AND \(person)" }
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
