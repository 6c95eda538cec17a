import CardModel
import GRDB

/// The tables of a sandbox, version 1. Later versions add steps to ``migrate(_:from:)`` and a fixture each.
enum Schema {
    /// What marks the file as a sandbox of this edition (`PRAGMA application_id`): "IDC2".
    static let applicationID = 0x4944_4332
    /// What marks the sandboxes of the first edition: "IDCP".
    static let firstEditionID = 0x4944_4350
    /// The version that this program writes (`PRAGMA user_version`).
    static let version = 1

    /// Lays out an empty file, before its journal becomes a write-ahead log: then the page size stays as it is.
    static func layOut(_ connection: GRDB.Database) throws {
        // Both hold only if they come before the first table.
        try connection.execute(sql: "PRAGMA page_size = 8192")
        try connection.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
        try connection.execute(sql: "VACUUM")
    }

    /// Makes the tables within the transaction that makes the sandbox.
    static func createTables(on connection: GRDB.Database) throws {
        try connection.execute(sql: Self.tables)
        try connection.execute(sql: Self.indexes)
        try connection.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
        try connection.execute(sql: "PRAGMA user_version = \(Self.version)")
    }

    private static let states = CardState.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    private static let classes = FailureClass.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// Strict: a column holds its type or `NULL`, so that a row changed by hand cannot stop the work on all others.
    private static let tables = """
        CREATE TABLE store (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            kind TEXT NOT NULL CHECK (kind IN ('embedded', 'real')),
            key_id TEXT NOT NULL,
            sealed_keys BLOB NOT NULL,
            next_order INTEGER NOT NULL,
            seen_at INTEGER NOT NULL,
            doubted_since INTEGER,
            doubted_until INTEGER,
            log_seal BLOB NOT NULL
        ) STRICT;
        CREATE TABLE worker (
            id TEXT PRIMARY KEY,
            command TEXT NOT NULL,
            process INTEGER NOT NULL,
            started_at INTEGER NOT NULL,
            seen_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE application (
            number TEXT PRIMARY KEY,
            submitter TEXT NOT NULL,
            holder BLOB,
            disputed INTEGER NOT NULL DEFAULT 0 CHECK (disputed IN (0, 1)),
            front_delivered INTEGER,
            back_delivered INTEGER,
            priority INTEGER NOT NULL DEFAULT 0,
            decide_at INTEGER
        ) STRICT;
        CREATE TABLE delivery (
            id TEXT PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            boundary TEXT NOT NULL,
            parts BLOB,
            state TEXT NOT NULL CHECK (state IN ('open', 'kept', 'delivered', 'refused', 'dissolved', 'closed')),
            may_be_applied INTEGER NOT NULL DEFAULT 0 CHECK (may_be_applied IN (0, 1)),
            worker TEXT REFERENCES worker (id),
            failures INTEGER NOT NULL DEFAULT 0,
            tries INTEGER NOT NULL DEFAULT 0,
            failed_at INTEGER,
            blamed_at INTEGER,
            due_at INTEGER,
            priority INTEGER NOT NULL,
            formed_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE card (
            id TEXT PRIMARY KEY,
            state TEXT NOT NULL CHECK (state IN (\(states))),
            number TEXT NOT NULL REFERENCES application (number),
            submitter TEXT NOT NULL,
            side TEXT CHECK (side IN ('front', 'back')),
            expected_side TEXT CHECK (expected_side IN ('front', 'back')),
            intake_order INTEGER NOT NULL UNIQUE,
            priority INTEGER NOT NULL,
            source BLOB,
            holder BLOB,
            reason TEXT,
            remote_code TEXT,
            message BLOB,
            metadata BLOB,
            waits_until INTEGER NOT NULL,
            due_at INTEGER,
            worker TEXT REFERENCES worker (id),
            failures INTEGER NOT NULL DEFAULT 0,
            tries INTEGER NOT NULL DEFAULT 0,
            failed_at INTEGER,
            blamed_at INTEGER,
            shrunk INTEGER NOT NULL DEFAULT 0 CHECK (shrunk IN (0, 1)),
            accepted INTEGER NOT NULL DEFAULT 0 CHECK (accepted IN (0, 1)),
            without_front INTEGER NOT NULL DEFAULT 0 CHECK (without_front IN (0, 1)),
            alone INTEGER NOT NULL DEFAULT 0 CHECK (alone IN (0, 1)),
            compared_with TEXT,
            delivery TEXT REFERENCES delivery (id),
            created_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            was_delivered INTEGER CHECK (was_delivered IN (0, 1)),
            certificate BLOB
        ) STRICT;
        CREATE TABLE delivery_card (
            delivery TEXT NOT NULL REFERENCES delivery (id),
            position INTEGER NOT NULL,
            card TEXT NOT NULL REFERENCES card (id),
            undecided INTEGER NOT NULL DEFAULT 1 CHECK (undecided IN (0, 1)),
            PRIMARY KEY (delivery, position)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE card_key (
            card TEXT PRIMARY KEY REFERENCES card (id),
            key_id TEXT NOT NULL,
            wrapped BLOB NOT NULL
        ) STRICT;
        CREATE TABLE blob (
            card TEXT NOT NULL REFERENCES card (id),
            kind TEXT NOT NULL CHECK (kind IN ('image', 'reading', 'source', 'address')),
            start INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            PRIMARY KEY (card, kind, start)
        ) STRICT;
        CREATE TABLE input (
            place BLOB NOT NULL,
            number TEXT NOT NULL,
            card TEXT NOT NULL REFERENCES card (id),
            device INTEGER,
            inode INTEGER,
            size INTEGER,
            modified INTEGER,
            request BLOB,
            PRIMARY KEY (place, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE attempt (
            id INTEGER PRIMARY KEY,
            stage TEXT NOT NULL CHECK (stage IN ('fetch', 'verify', 'deliver')),
            subject TEXT NOT NULL,
            worker TEXT NOT NULL,
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            class TEXT CHECK (class IN (\(classes))),
            code TEXT,
            http_status INTEGER
        ) STRICT;
        CREATE TABLE event (
            id INTEGER PRIMARY KEY,
            card TEXT NOT NULL REFERENCES card (id),
            at INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN (\(states))),
            reason TEXT,
            remote_code TEXT,
            message BLOB
        ) STRICT;
        CREATE TABLE rest (
            endpoint TEXT PRIMARY KEY,
            until INTEGER NOT NULL,
            class TEXT NOT NULL CHECK (class IN (\(classes))),
            code TEXT NOT NULL,
            set_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE run (
            id TEXT PRIMARY KEY,
            state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'ended')),
            submitter TEXT NOT NULL,
            source TEXT NOT NULL,
            worker TEXT REFERENCES worker (id),
            report BLOB,
            created_at INTEGER NOT NULL,
            ended_at INTEGER
        ) STRICT;
        CREATE TABLE access_log (
            number INTEGER PRIMARY KEY,
            at INTEGER NOT NULL,
            actor TEXT NOT NULL,
            action TEXT NOT NULL,
            purpose TEXT NOT NULL,
            card TEXT,
            mac BLOB NOT NULL
        ) STRICT;
        """

    private static let indexes = """
        CREATE INDEX application_due ON application (priority DESC, decide_at) WHERE decide_at IS NOT NULL;
        CREATE INDEX card_number ON card (number, state, intake_order);
        CREATE UNIQUE INDEX card_source ON card (number, source) WHERE source IS NOT NULL;
        CREATE INDEX card_work ON card (state, priority DESC, intake_order, due_at, worker)
            WHERE worker IS NULL AND state IN ('fetching', 'received', 'prepared');
        CREATE INDEX card_failed ON card (state, failed_at)
            WHERE worker IS NULL AND failed_at IS NOT NULL AND state IN ('fetching', 'received', 'prepared');
        CREATE INDEX card_state ON card (state, intake_order);
        CREATE INDEX card_age ON card (state, changed_at)
            WHERE state IN ('delivered', 'rejected', 'superseded', 'failed', 'held', 'verified');
        CREATE INDEX card_worker ON card (worker) WHERE worker IS NOT NULL;
        CREATE INDEX delivery_open ON delivery (priority DESC, tries, formed_at, due_at) WHERE state = 'open';
        CREATE INDEX delivery_worker ON delivery (worker) WHERE worker IS NOT NULL;
        CREATE INDEX delivery_member ON delivery_card (card);
        CREATE INDEX input_card ON input (card);
        CREATE INDEX attempt_subject ON attempt (subject);
        CREATE INDEX attempt_open ON attempt (worker) WHERE ended_at IS NULL;
        CREATE INDEX attempt_accepted ON attempt (stage, ended_at) WHERE class = 'accepted';
        CREATE INDEX event_card ON event (card);
        CREATE INDEX access_export ON access_log (card) WHERE action = 'export';
        """
}
