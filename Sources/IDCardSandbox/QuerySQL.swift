import GRDB
import IDCardCore
import IDCardPipeline

/// The questions of people; apart, so that a test can ask SQLite how it answers them.
enum QuerySQL {
    static let stateCounts = "SELECT state, count(*) AS count FROM card GROUP BY state"

    /// When the first card in a state was taken in.
    static let oldest = "SELECT created_at FROM card WHERE state = ? ORDER BY intake_order LIMIT 1"

    static let beginning = "SELECT id FROM card WHERE id >= ?1 AND id < ?1 || char(0x10FFFF) ORDER BY id LIMIT ?2"

    static let events = "SELECT at, kind, state, code FROM event WHERE card = ? ORDER BY id"

    /// Returns the SQL of a query and its arguments.
    static func cards(matching query: CardQuery) -> (sql: String, arguments: StatementArguments) {
        var conditions: [String] = []
        var arguments = StatementArguments()
        if !query.states.isEmpty {
            let marks = query.states.map { _ in "?" }.joined(separator: ", ")
            conditions.append("state IN (\(marks))")
            arguments += StatementArguments(query.states.map(\.rawValue))
        }
        if let businessNumber = query.businessNumber {
            conditions.append("business_no = ?")
            arguments += [businessNumber.rawValue]
        }
        if let reason = query.reason {
            conditions.append("reason = ?")
            arguments += [reason.rawValue]
        }
        if let order = query.afterIntakeOrder {
            conditions.append("intake_order > ?")
            arguments += [order]
        }
        let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        arguments += [max(0, query.limit)]
        return ("SELECT \(CardColumn.list) FROM card \(filter) ORDER BY intake_order, id LIMIT ?", arguments)
    }
}
