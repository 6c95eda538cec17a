import CardModel
import Foundation
import GRDBSQLite

/// The row a statement stands on; its columns are read from left to right.
struct Row {
    let statement: OpaquePointer
    private(set) var column: Int32 = 0

    /// - Throws: `DatabaseError` of kind `damaged` if it holds something else.
    mutating func next<Value: Readable>(_ type: Value.Type = Value.self) throws -> Value {
        let column = self.column
        self.column += 1
        guard let value = Value.read(self.statement, column) else {
            let name = sqlite3_column_name(self.statement, column).map { String(cString: $0) } ?? "?"
            throw DatabaseError(.damaged, "the column \(name) does not hold what it must")
        }
        return value
    }
}

/// What a column can be read as; `nil` if it holds something else.
protocol Readable {
    static func read(_ statement: OpaquePointer, _ column: Int32) -> Self?
}

extension Int64: Readable {
    static func read(_ statement: OpaquePointer, _ column: Int32) -> Int64? {
        sqlite3_column_type(statement, column) == SQLITE_INTEGER ? sqlite3_column_int64(statement, column) : nil
    }
}

extension Int: Readable {
    static func read(_ statement: OpaquePointer, _ column: Int32) -> Int? {
        Int64.read(statement, column).map(Int.init)
    }
}

extension Bool: Readable {
    static func read(_ statement: OpaquePointer, _ column: Int32) -> Bool? {
        Int64.read(statement, column).map { $0 != 0 }
    }
}

extension String: Readable {
    static func read(_ statement: OpaquePointer, _ column: Int32) -> String? {
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT else { return nil }
        return sqlite3_column_text(statement, column).map { String(cString: $0) }
    }
}

extension Data: Readable {
    static func read(_ statement: OpaquePointer, _ column: Int32) -> Data? {
        guard sqlite3_column_type(statement, column) == SQLITE_BLOB else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        guard count > 0, let bytes = sqlite3_column_blob(statement, column) else { return Data() }
        return Data(bytes: bytes, count: count)
    }
}

extension Optional: Readable where Wrapped: Readable {
    static func read(_ statement: OpaquePointer, _ column: Int32) -> Wrapped?? {
        guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return .some(nil) }
        return Wrapped.read(statement, column).map(Optional.some)
    }
}

extension Timestamp: Readable {
    static func read(_ statement: OpaquePointer, _ column: Int32) -> Timestamp? {
        Int64.read(statement, column).map(Timestamp.init(millisecondsSinceEpoch:))
    }
}

extension BusinessNumber: Readable {
    static func read(_ statement: OpaquePointer, _ column: Int32) -> BusinessNumber? {
        String.read(statement, column).map(BusinessNumber.init(stored:))
    }
}

extension Readable where Self: RawRepresentable<String> {
    static func read(_ statement: OpaquePointer, _ column: Int32) -> Self? {
        String.read(statement, column).flatMap(Self.init(rawValue:))
    }
}

extension Identifier: Readable {}

/// What is read of each row of one or more tables.
protocol Record {
    /// What the initializer reads.
    static var columns: SQL { get }
    static var tables: SQL { get }

    init(_ row: inout Row) throws
}

extension Record {
    /// Reads those that a condition, with an order, selects.
    static func all(_ condition: SQL, in tx: Transaction) throws -> [Self] {
        try tx.rows("SELECT \(Self.columns) FROM \(Self.tables) \(condition)") { try Self(&$0) }
    }
}
