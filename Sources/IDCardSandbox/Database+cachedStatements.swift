import GRDB

// Compiling a statement costs more than running it: SQLite asks GRDB of every column whether it may be read. What a card
// needs on its way is compiled once for each connection. For texts that are the same every time; the cache forgets none.

extension Database {
    /// Executes a statement that is compiled once for each connection.
    func execute(cached sql: String, arguments: StatementArguments = StatementArguments()) throws {
        try self.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension Row {
    /// Fetches one row by a statement that is compiled once for each connection.
    static func fetchOne(
        _ db: Database,
        cached sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> Row? {
        try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
    }

    /// Fetches all rows by a statement that is compiled once for each connection.
    static func fetchAll(
        _ db: Database,
        cached sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> [Row] {
        try Row.fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
    }
}

extension DatabaseValueConvertible {
    /// Fetches one value by a statement that is compiled once for each connection.
    static func fetchOne(
        _ db: Database,
        cached sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> Self? {
        try Self.fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
    }

    /// Fetches all values by a statement that is compiled once for each connection.
    static func fetchAll(
        _ db: Database,
        cached sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> [Self] {
        try Self.fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
    }
}
