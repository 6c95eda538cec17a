import CardModel
import Foundation
import GRDB
import GRDBSQLite

/// A transaction, or a snapshot for reading, in which statements run.
final class Transaction {
    /// GRDB's connection. Its functions for values take more than half of a statement's time, so values are bound and read here.
    private let connection: GRDB.Database
    /// The time of the transaction, with which it dates rows.
    let now: Timestamp
    /// The numbers whose cards this transaction changed.
    var changed: Set<BusinessNumber> = []
    /// The first error of the database, after which no statement runs.
    private var failed: DatabaseError?

    /// Begins at a time that the caller gives, or by the system's clock.
    init(_ connection: GRDB.Database, at time: Timestamp? = nil) {
        self.connection = connection
        self.now = time ?? Timestamp(Date())
    }

    /// Runs statements on one snapshot, which begins with the first statement, so it may be later than ``now``. Not by GRDB,
    /// which would compile `BEGIN` and `COMMIT` each time.
    func inSnapshot<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        try self.run("BEGIN DEFERRED")
        defer {
            do { try self.run("COMMIT") } catch { try? self.connection.rollback() }
        }
        return try self.whole(body)
    }

    /// Runs a body, and throws the first error of the database at the end, even if the body has caught it. Otherwise a value that
    /// could not be read might count as one that cannot be unsealed.
    func whole<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        let result = Result { try body(self) }
        if let error = self.failed { throw error }
        return try result.get()
    }

    /// Reports the text of each statement that the connection runs from now on; for tests.
    func trace(_ report: @escaping @Sendable (String) -> Void) {
        self.connection.trace { event in if case .statement(let statement) = event { report(statement.sql) } }
    }

    /// Runs a statement and returns how many rows it changed.
    @discardableResult
    func run(_ sql: SQL) throws -> Int {
        try self.forEach(sql) { _ in }
        return Int(sqlite3_changes64(self.connection.sqliteConnection))
    }

    /// Runs a statement that must change exactly one row.
    ///
    /// - Throws: `DatabaseError` of kind `statement` otherwise: the row is no longer as it was read.
    func one(_ sql: SQL) throws {
        let count = try self.run(sql)
        guard count == 1 else {
            throw self.recorded(DatabaseError(.statement, "\(count) rows were changed, one was to be"))
        }
    }

    func rows<Value>(_ sql: SQL, _ read: (inout Row) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        try self.forEach(sql) { row in values.append(try read(&row)) }
        return values
    }

    /// Reads row by row without collecting them; the body must not run a statement of the same text.
    func forEach(_ sql: SQL, limit: Int = .max, _ body: (inout Row) throws -> Void) throws {
        if let error = self.failed { throw error }
        do { try self.step(sql, limit: limit, body) } catch { throw self.recorded(error) }
    }

    /// Returns the only row; `nil` if there is none.
    ///
    /// - Throws: `DatabaseError` of kind `damaged` if there are two.
    func row<Value>(_ sql: SQL, _ read: (inout Row) throws -> Value) throws -> Value? {
        let values = try self.rows(sql, read)
        guard values.count <= 1 else { throw self.recorded(DatabaseError(.damaged, "two rows stand where one may be")) }
        return values.first
    }

    /// Returns the first column of the only row; `nil` if there is no row, or the column is `NULL`.
    func value<Value: Readable>(_ sql: SQL, as type: Value.Type = Value.self) throws -> Value? {
        try self.row(sql) { row in try row.next(Value?.self) } ?? nil
    }

    /// Returns the first column of each row.
    func values<Value: Readable>(_ sql: SQL, as type: Value.Type = Value.self) throws -> [Value] {
        try self.rows(sql) { row in try row.next() }
    }

    func exists(_ sql: SQL) throws -> Bool {
        var isFound = false
        try self.forEach(sql, limit: 1) { _ in isFound = true }
        return isFound
    }

    /// Binds the values of a statement, runs it, and passes up to `limit` rows to `body`.
    private func step(_ sql: SQL, limit: Int, _ body: (inout Row) throws -> Void) throws {
        let cached = try self.connection.cachedStatement(sql: sql.text)
        let statement = cached.sqliteStatement
        // GRDB does not reset a cached statement, and SQLite binds values only to one that is reset.
        sqlite3_reset(statement)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in sql.values.enumerated() {
            guard self.bind(value, to: statement, at: Int32(index + 1)) == SQLITE_OK else { throw self.failure() }
        }
        for _ in 0..<limit {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw self.failure() }
            var row = Row(statement: statement)
            try body(&row)
        }
    }

    /// Binds a value; SQLite makes a copy of texts and blobs.
    private func bind(_ value: SQLValue, to statement: OpaquePointer, at index: Int32) -> Int32 {
        // SQLITE_TRANSIENT, a macro that Swift does not import.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let number): return sqlite3_bind_int64(statement, index, number)
        case .text(let text): return sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), transient)
        case .blob(let data):
            guard !data.isEmpty else { return sqlite3_bind_zeroblob(statement, index, 0) }
            return data.withUnsafeBytes { bytes in
                sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), transient)
            }
        }
    }

    /// Stores the first error of the database; returns the error in the form in which it is thrown.
    private func recorded(_ error: any Error) -> any Error {
        let error = Database.translated(error)
        self.failed = self.failed ?? error as? DatabaseError
        return error
    }

    private func failure() -> DatabaseError {
        let connection = self.connection.sqliteConnection
        let text = sqlite3_errmsg(connection).map { String(cString: $0) } ?? ""
        let (code, errno) = (sqlite3_extended_errcode(connection), sqlite3_system_errno(connection))
        return DatabaseError(code: code, text: text, errno: errno)
    }
}

/// The current row of a statement; its columns are read from left to right.
struct Row {
    let statement: OpaquePointer
    private(set) var column: Int32 = 0

    /// Reads the next column.
    ///
    /// - Throws: `DatabaseError` of kind `damaged` if the column has a value of another type.
    mutating func next<Value: Readable>(_ type: Value.Type = Value.self) throws -> Value {
        let column = self.column
        self.column += 1
        guard let value = self.value(at: column).flatMap(Value.read) else {
            let name = sqlite3_column_name(self.statement, column).map { String(cString: $0) } ?? "?"
            throw DatabaseError(.damaged, "the column \(name) does not hold what it must")
        }
        return value
    }

    /// - Returns: `nil` for a type that no column of a strict table holds.
    private func value(at column: Int32) -> SQLValue? {
        switch sqlite3_column_type(self.statement, column) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(self.statement, column))
        case SQLITE_TEXT: return sqlite3_column_text(self.statement, column).map { .text(String(cString: $0)) }
        case SQLITE_BLOB:
            let count = Int(sqlite3_column_bytes(self.statement, column))
            guard count > 0, let bytes = sqlite3_column_blob(self.statement, column) else { return .blob(Data()) }
            return .blob(Data(bytes: bytes, count: count))
        default: return nil
        }
    }
}

/// A value that is read from each row of one or more tables.
protocol Record {
    /// The columns that the initializer reads, in its order.
    static var columns: SQL { get }
    static var tables: SQL { get }

    init(_ row: inout Row) throws
}

extension Record {
    /// Reads the records that a condition, with an order, selects.
    static func all(_ condition: SQL, in tx: Transaction) throws -> [Self] {
        try tx.rows("SELECT \(Self.columns) FROM \(Self.tables) \(condition)") { try Self(&$0) }
    }
}
