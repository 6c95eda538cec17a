package import CardModel

/// Which lines of the access log are listed. Without a card, lines of people alone.
package struct LogFilter: Hashable, Sendable {
    /// Under whose authority.
    package var subject: String?
    package var card: CardID?
    package var action: AccessAction?

    package init(subject: String? = nil, card: CardID? = nil, action: AccessAction? = nil) {
        (self.subject, self.card, self.action) = (subject, card, action)
    }
}

extension CardStore {
    /// Lists lines of the access log, the newest first; of lines of one moment that with the higher number.
    ///
    /// - Parameters:
    ///   - filter: which lines.
    ///   - number: the last line of the page before; `nil` for the first page.
    ///   - limit: the most lines of the page.
    ///   - caller: who reads them.
    /// - Throws: `scope_missing`.
    package func accessLines(
        _ filter: LogFilter,
        before number: Int64?,
        limit: Int,
        for caller: Caller
    ) async throws -> [AccessRecord] {
        let scopes = AccessAction.log.scopes
        guard caller.has(scopes) else {
            throw CodedError(.scopeMissing, .usage, .accessScopeMissing(scopes.map(\.rawValue)))
        }
        return try await self.read { tx in
            var place: SQL = ""
            if let number {
                // The indexes go by time: a clock that was set back leaves lines whose numbers go another way.
                let at = try tx.value("SELECT at FROM access_log WHERE number = \(number)", as: Timestamp.self)
                guard let at else { return [] }
                place = "AND (at, number) < (\(at), \(number))"
            }
            let order: SQL = "ORDER BY at DESC, number DESC"
            let page: SQL = "\(order) LIMIT \(min(limit, Limits.pageSize))"
            let pages: [SQL] = Self.conditions(filter).map { condition in
                "SELECT * FROM (SELECT number, at FROM access_log WHERE \(condition) \(place) \(page))"
            }
            let numbers: SQL = "SELECT number FROM (\(SQL.joined(pages, by: " UNION ALL "))) \(page)"
            return try tx.rows("SELECT \(AccessRecord.columns) FROM access_log WHERE number IN (\(numbers)) \(order)") {
                try AccessRecord(&$0)
            }
        }
    }

    /// Conditions that together pick the lines of a filter; each names one line once, and an index gives its lines in order.
    private static func conditions(_ filter: LogFilter) -> [SQL] {
        guard filter.card != nil || filter.subject != nil else {
            // The lines of the engine, which are a thousand times as many, are not looked at.
            let actions = filter.action.map { [$0] } ?? AccessAction.allCases
            return actions.map { "action = \($0.rawValue) AND subject IS NOT NULL" }
        }
        // Of several, the card is the rarest, and then the subject.
        var conditions: [SQL] = []
        if let card = filter.card { conditions.append("card = \(card)") }
        if let subject = filter.subject {
            conditions.append(filter.card == nil ? "subject = \(subject)" : "subject || '' = \(subject)")
        }
        if let action = filter.action { conditions.append("action || '' = \(action.rawValue)") }
        return [SQL.joined(conditions, by: " AND ")]
    }

    /// Returns when a person last began a backup; `nil` if none did.
    package func lastBackup() async throws -> Timestamp? {
        let backup = AccessAction.backup.rawValue
        let last: SQL = "SELECT max(at) FROM access_log WHERE action = \(backup) AND subject IS NOT NULL"
        return try await self.read { try $0.value(last, as: Timestamp?.self) ?? nil }
    }

    /// Walks the whole access log, as `fsck` does; returns how many lines there are, and how many things are wrong.
    package func checkAccessLog() async throws -> (lines: Int, findings: Int) {
        try await self.read { tx in
            let findings = try AccessLog.findings(by: self.vault, in: tx)
            return (try tx.value("SELECT count(*) FROM access_log") ?? 0, findings.count)
        }
    }
}
