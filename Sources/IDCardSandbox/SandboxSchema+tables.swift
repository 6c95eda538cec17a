import IDCardCore
import IDCardPipeline

extension SandboxSchema {
    /// The tables of version 1; a column named here as sealed passes the vault, a fingerprint cannot be turned back.
    static let tables: [String] = [
        sandboxTable, vaultKeyTable, ownerTable, deliveryTable, cardTable, imageTable, readingTable,
        deliveryCardTable, attemptTable, eventTable, sourceFileTable, stagePauseTable,
    ]

    private static let sandboxTable = """
        CREATE TABLE sandbox (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            endpoints TEXT NOT NULL CHECK (endpoints IN (\(list(SandboxOptions.Endpoints.allCases)))),
            vault TEXT NOT NULL,
            next_intake_order INTEGER NOT NULL CHECK (next_intake_order >= 1),
            created_at INTEGER NOT NULL
        ) STRICT
        """

    private static let vaultKeyTable = """
        CREATE TABLE vault_key (
            purpose TEXT NOT NULL PRIMARY KEY,
            bytes BLOB NOT NULL
        ) STRICT, WITHOUT ROWID
        """

    private static let ownerTable = """
        CREATE TABLE owner (
            id TEXT NOT NULL PRIMARY KEY,
            started_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """

    /// `number` is the order in which deliveries were formed; `business_no` is that of the first member; `due_at` 0 means
    /// at once; `parts` is sealed.
    private static let deliveryTable = """
        CREATE TABLE delivery (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            business_no TEXT NOT NULL,
            boundary TEXT NOT NULL,
            parts BLOB NOT NULL,
            state TEXT NOT NULL CHECK (state IN (\(list(DeliveryState.allCases)))),
            priority INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            due_at INTEGER NOT NULL DEFAULT 0,
            lease_owner TEXT REFERENCES owner (id),
            lease_expires_at INTEGER,
            created_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            CHECK ((lease_owner IS NULL) = (lease_expires_at IS NULL)),
            CHECK (state = 'open' OR lease_owner IS NULL)
        ) STRICT
        """

    /// Sealed: `user_number`, `expected_id_number`, `expected_name`, `message`. `due_at` 0 means at once.
    private static let cardTable = """
        CREATE TABLE card (
            id TEXT NOT NULL PRIMARY KEY,
            state TEXT NOT NULL CHECK (state IN (\(list(CardState.allCases)))),
            business_no TEXT NOT NULL,
            content_fingerprint BLOB NOT NULL,
            intake_order INTEGER NOT NULL,
            priority INTEGER NOT NULL,
            user_number BLOB,
            expected_id_number BLOB,
            expected_name BLOB,
            expected_side TEXT CHECK (expected_side IN (\(list(CardSide.allCases)))),
            side TEXT CHECK (side IN (\(list(CardSide.allCases)))),
            holder_fingerprint BLOB,
            reason TEXT,
            message BLOB,
            is_shrunk INTEGER NOT NULL DEFAULT 0 CHECK (is_shrunk IN (0, 1)),
            delivery TEXT REFERENCES delivery (id),
            attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
            due_at INTEGER NOT NULL DEFAULT 0,
            lease_owner TEXT REFERENCES owner (id),
            lease_expires_at INTEGER,
            created_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            CHECK ((lease_owner IS NULL) = (lease_expires_at IS NULL)),
            CHECK (state <> 'delivering' OR delivery IS NOT NULL)
        ) STRICT
        """

    /// Apart from its card so that lists and claims never touch its pages. Sealed: `jpeg`, `digest`.
    private static let imageTable = """
        CREATE TABLE image (
            card TEXT NOT NULL PRIMARY KEY REFERENCES card (id) ON DELETE CASCADE,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            byte_count INTEGER NOT NULL,
            digest BLOB NOT NULL,
            jpeg BLOB NOT NULL
        ) STRICT
        """

    /// Sealed: `content`.
    private static let readingTable = """
        CREATE TABLE reading (
            card TEXT NOT NULL PRIMARY KEY REFERENCES card (id) ON DELETE CASCADE,
            key_fingerprint BLOB NOT NULL,
            provider TEXT NOT NULL,
            parameters TEXT NOT NULL,
            content BLOB NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT
        """

    private static let deliveryCardTable = """
        CREATE TABLE delivery_card (
            delivery TEXT NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
            position INTEGER NOT NULL CHECK (position >= 0),
            card TEXT NOT NULL REFERENCES card (id) ON DELETE CASCADE,
            PRIMARY KEY (delivery, position),
            UNIQUE (delivery, card)
        ) STRICT, WITHOUT ROWID
        """

    private static let attemptTable = """
        CREATE TABLE attempt (
            id INTEGER PRIMARY KEY,
            card TEXT REFERENCES card (id) ON DELETE CASCADE,
            delivery TEXT REFERENCES delivery (id) ON DELETE CASCADE,
            ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            class TEXT CHECK (class IN (\(list(FailureClass.allCases)))),
            code TEXT,
            http_status INTEGER,
            CHECK ((card IS NULL) <> (delivery IS NULL)),
            CHECK ((ended_at IS NULL) = (class IS NULL)),
            CHECK ((ended_at IS NULL) = (code IS NULL))
        ) STRICT
        """

    private static let eventTable = """
        CREATE TABLE event (
            id INTEGER PRIMARY KEY,
            card TEXT NOT NULL REFERENCES card (id) ON DELETE CASCADE,
            at INTEGER NOT NULL,
            kind TEXT NOT NULL,
            state TEXT CHECK (state IN (\(list(CardState.allCases)))),
            code TEXT
        ) STRICT
        """

    /// Under one business number a path stands once: for what it held when it was last taken in.
    private static let sourceFileTable = """
        CREATE TABLE source_file (
            path_fingerprint BLOB NOT NULL,
            business_no TEXT NOT NULL,
            device INTEGER NOT NULL,
            inode INTEGER NOT NULL,
            size INTEGER NOT NULL,
            modified_ns INTEGER NOT NULL,
            card TEXT NOT NULL REFERENCES card (id) ON DELETE CASCADE,
            PRIMARY KEY (path_fingerprint, business_no)
        ) STRICT, WITHOUT ROWID
        """

    private static let stagePauseTable = """
        CREATE TABLE stage_pause (
            stage TEXT NOT NULL PRIMARY KEY CHECK (stage IN (\(list(Stage.allCases)))),
            code TEXT NOT NULL,
            message TEXT NOT NULL,
            since INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """
}
