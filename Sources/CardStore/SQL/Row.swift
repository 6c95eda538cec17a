import CardModel
import Foundation
import GRDBSQLite

/// The row a statement stands on; its columns are read from left to right.
struct Row {
    let statement: OpaquePointer
    private var column: Int32 = 0

    init(_ statement: OpaquePointer) {
        self.statement = statement
    }

    /// - Throws: `DatabaseError` of kind `damaged` if it holds something else.
    mutating func next<Value: Readable>(_ type: Value.Type = Value.self) throws -> Value {
        let column = self.column
        self.column += 1
        guard let value = Value(self.statement, column) else {
            let name = sqlite3_column_name(self.statement, column).map { String(cString: $0) } ?? "?"
            throw DatabaseError(.damaged, "the column \(name) does not hold what it must")
        }
        return value
    }
}

/// What a column can be read as; `nil` if it holds something else.
protocol Readable {
    init?(_ statement: OpaquePointer, _ column: Int32)
}

extension Int64: Readable {
    init?(_ statement: OpaquePointer, _ column: Int32) {
        guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { return nil }
        self = sqlite3_column_int64(statement, column)
    }
}

extension Int: Readable {
    init?(_ statement: OpaquePointer, _ column: Int32) {
        guard let value = Int64(statement, column) else { return nil }
        self = Int(value)
    }
}

extension Bool: Readable {
    init?(_ statement: OpaquePointer, _ column: Int32) {
        guard let value = Int64(statement, column) else { return nil }
        self = value != 0
    }
}

extension String: Readable {
    init?(_ statement: OpaquePointer, _ column: Int32) {
        guard sqlite3_column_type(statement, column) == SQLITE_TEXT,
            let bytes = sqlite3_column_text(statement, column)
        else { return nil }
        self.init(cString: bytes)
    }
}

extension Data: Readable {
    init?(_ statement: OpaquePointer, _ column: Int32) {
        guard sqlite3_column_type(statement, column) == SQLITE_BLOB else { return nil }
        let count = Int(sqlite3_column_bytes(statement, column))
        guard count > 0, let bytes = sqlite3_column_blob(statement, column) else {
            self.init()
            return
        }
        self.init(bytes: bytes, count: count)
    }
}

extension Optional: Readable where Wrapped: Readable {
    init?(_ statement: OpaquePointer, _ column: Int32) {
        guard sqlite3_column_type(statement, column) != SQLITE_NULL else {
            self = Wrapped?.none
            return
        }
        guard let value = Wrapped(statement, column) else { return nil }
        self = value
    }
}

extension Timestamp: Readable {
    init?(_ statement: OpaquePointer, _ column: Int32) {
        guard let value = Int64(statement, column) else { return nil }
        self.init(millisecondsSinceEpoch: value)
    }
}

extension BusinessNumber: Readable {
    init?(_ statement: OpaquePointer, _ column: Int32) {
        guard let value = String(statement, column) else { return nil }
        self.init(stored: value)
    }
}

extension Readable where Self: RawRepresentable<String> {
    init?(_ statement: OpaquePointer, _ column: Int32) {
        guard let value = String(statement, column) else { return nil }
        self.init(rawValue: value)
    }
}

extension Identifier: Readable {}
extension ReasonCode: Readable {}
extension CardState: Readable {}
extension CardSide: Readable {}
extension FailureClass: Readable {}
