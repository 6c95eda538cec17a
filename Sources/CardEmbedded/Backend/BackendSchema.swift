import GRDB
import Glibc

/// The tables of `backend.sqlite3` and how it is opened.
enum BackendSchema {
    private static let file = "backend.sqlite3"

    /// An erased document keeps its place, side and number and loses all else. The index on identities makes "stored
    /// once" a rule of the database; it also finds the fronts and the highest file number of a business number.
    private static let tables = """
        CREATE TABLE upload (
            id INTEGER PRIMARY KEY,
            idempotency_key TEXT NOT NULL UNIQUE,
            content_sha256 TEXT NOT NULL,
            time TEXT NOT NULL,
            retcode TEXT NOT NULL,
            retmsg TEXT NOT NULL,
            items TEXT,
            is_refusal INTEGER NOT NULL CHECK (is_refusal IN (0, 1))
        ) STRICT;
        CREATE TABLE document (
            sequence INTEGER PRIMARY KEY,
            upload INTEGER NOT NULL REFERENCES upload (id),
            position INTEGER NOT NULL CHECK (position > 0),
            business_no TEXT NOT NULL,
            doctype TEXT NOT NULL CHECK (doctype IN ('IDCARD_FRONT_APP', 'IDCARD_BACK_APP')),
            user_no TEXT NOT NULL,
            image_sha256 TEXT NOT NULL,
            number INTEGER NOT NULL CHECK (number > 0),
            out_of_order INTEGER NOT NULL CHECK (out_of_order IN (0, 1)),
            image BLOB,
            UNIQUE (upload, position),
            CHECK ((image IS NULL) = (business_no = ''))
        ) STRICT;
        CREATE UNIQUE INDEX document_identity ON document (business_no, doctype, image_sha256) WHERE image IS NOT NULL;
        CREATE UNIQUE INDEX document_number ON document (business_no, doctype, number) WHERE image IS NOT NULL;
        PRAGMA user_version = 1;
        """

    /// Whether a folder holds a backend's database.
    static func exists(in folder: String) -> Bool { access("\(folder)/\(self.file)", F_OK) == 0 }

    /// Opens the database in a folder, or makes both, and takes it for this backend alone.
    ///
    /// - Throws: ``EmbeddedError``: `folderUnusable` or `folderInUse`.
    static func open(_ folder: String) throws(EmbeddedError) -> DatabaseQueue {
        try self.makePrivateFile(in: folder)
        var configuration = GRDB.Configuration()
        configuration.label = "embedded-backend"
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
        do {
            let database = try DatabaseQueue(path: "\(folder)/\(self.file)", configuration: configuration)
            try database.writeWithoutTransaction { db in
                // Not in `prepareDatabase`: there GRDB's own settings come after and undo `synchronous`.
                try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
                try db.inTransaction(.exclusive) {
                    let version = try Int.fetchOne(db, sql: "PRAGMA user_version")
                    if version == 0 { try db.execute(sql: self.tables) }
                    return .commit
                }
            }
            return database
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw .folderInUse
        } catch {
            throw self.failure("cannot hold a database", error)
        }
    }

    /// An error that names what failed and the reason, not the path: it may hold a business number.
    static func failure(_ what: String, _ error: (any Error)?, number: CInt = 0) -> EmbeddedError {
        let reason = error.map(BackendStore.reason) ?? String(cString: strerror(number))
        return EmbeddedError(
            .folderUnusable,
            "The backend's folder \(what): \(reason). Check its owner and the free space."
        )
    }

    private static func makePrivateFile(in folder: String) throws(EmbeddedError) {
        try self.makeFolder(folder)
        guard !self.exists(in: folder) else { return }
        // What is exported follows the database, so an empty one would empty it.
        for name in ["documents", "ledger.jsonl", "refusals.jsonl"] where access("\(folder)/\(name)", F_OK) == 0 {
            throw .folderForeign(name, without: self.file)
        }
        // Made here, so that nobody else may read it. Never opened if it is there: closing it would drop the lock that
        // another backend of this process holds.
        let descriptor = Glibc.open("\(folder)/\(self.file)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            Glibc.close(descriptor)
        } else if errno != EEXIST {
            throw self.failure("cannot hold a new file", nil, number: errno)
        }
    }

    /// Makes a folder and those above it, for the owner only.
    private static func makeFolder(_ path: String) throws(EmbeddedError) {
        var made = path.hasPrefix("/") ? "/" : ""
        for name in path.split(separator: "/") {
            made += "\(name)/"
            guard mkdir(made, 0o700) == 0 || errno == EEXIST else {
                throw self.failure("cannot be made", nil, number: errno)
            }
        }
    }
}
