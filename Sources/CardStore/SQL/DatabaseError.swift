import GRDBSQLite
import Glibc

/// An error of the database, by what it means for the store.
struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    enum Kind: Hashable, Sendable {
        /// Another process held the database for longer than the busy timeout.
        case busy
        case full
        /// The disk or the file cannot be used.
        case unavailable
        /// A flush failed: what is durable is unknown until the file is opened again.
        case outcomeUnknown
        /// The file is not a sound database, or a row holds an impossible value.
        case damaged
        /// The files were deleted or replaced.
        case replaced
        /// A statement is wrong, or breaks a rule of the schema.
        case statement
    }

    let kind: Kind
    /// For developers: SQLite's own text, without values.
    let text: String

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }

    /// Creates an error from SQLite's extended result code and the system's error that caused it; `errno` is `nil` if there is
    /// no open connection to ask for it.
    init(code: Int32, text: String, errno: Int32?) {
        self.init(Self.kind(of: code, errno: errno), "\(text) (SQLite code \(code))")
    }

    /// Whether the disk may be full: besides `full`, files may then fail as on a broken disk.
    var mayMeanNoRoom: Bool { self.kind == .full || self.kind == .unavailable }

    var description: String { "\(self.kind): \(self.text)" }

    /// Classifies an extended result code of SQLite.
    private static func kind(of code: Int32, errno: Int32?) -> Kind {
        // `SQLITE_IOERR_FSYNC` and `SQLITE_IOERR_DIR_FSYNC`, which Swift does not import.
        if [SQLITE_IOERR | 4 << 8, SQLITE_IOERR | 5 << 8].contains(code) { return .outcomeUnknown }
        // `SQLITE_IOERR_SHMSIZE`: the shared memory of the log could not grow.
        if code == SQLITE_IOERR | 19 << 8 { return .full }
        // SQLite reports an exhausted quota or a limit on file sizes only as an input/output error.
        if code & 0xFF == SQLITE_IOERR, let errno, [ENOSPC, EDQUOT, EFBIG].contains(errno) { return .full }
        // `SQLITE_IOERR_WRITE` without errno comes while opening: most often there is no room for the log.
        if code == SQLITE_IOERR | 3 << 8, errno == nil { return .full }
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy
        case SQLITE_FULL: return .full
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged
        case SQLITE_CONSTRAINT, SQLITE_ERROR, SQLITE_MISUSE, SQLITE_RANGE, SQLITE_MISMATCH: return .statement
        default: return .unavailable
        }
    }
}
