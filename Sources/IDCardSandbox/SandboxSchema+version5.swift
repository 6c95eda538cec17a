import IDCardPipeline

extension SandboxSchema {
    /// The changes from version 4 to version 5.
    static let version5: [String] = watch + clock + erasure + calls + waits + awaitedInputs

    /// What watched folders need: which of them have held sidecars or manifests, and which paths were used again.
    private static let watch: [String] = [
        """
        CREATE TABLE watched_folder (
            path_fingerprint BLOB NOT NULL PRIMARY KEY,
            noted_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        // Whether more than one card was taken in from the path under its business number.
        "ALTER TABLE source_file ADD COLUMN is_reused INTEGER NOT NULL DEFAULT 0 CHECK (is_reused IN (0, 1))",
    ]

    /// The last time that the sandbox saw, and a clock too far ahead of it to be believed: see `SeenTime`.
    static let clock: [String] = [
        "ALTER TABLE sandbox ADD COLUMN last_seen_at INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE sandbox ADD COLUMN doubted_since INTEGER",
        "ALTER TABLE sandbox ADD COLUMN doubted_until INTEGER",
        // The time that the clock said when it went back, and the one before; NULL once it is past that again.
        "ALTER TABLE sandbox ADD COLUMN behind_since INTEGER",
        "ALTER TABLE sandbox ADD COLUMN behind_until INTEGER",
        // What the rows say of the last time at which anything was done.
        """
        UPDATE sandbox SET last_seen_at = max(
            created_at, COALESCE((SELECT max(changed_at) FROM card), 0), COALESCE((SELECT max(started_at) FROM owner), 0)
        )
        """,
    ]

    /// What is looked for after erasures, and how far the search has come.
    private static let erasure: [String] = [
        // Keyed fingerprints of the bytes that must be found nowhere any more (`ErasedTrace`); NULL where nobody knows them.
        "ALTER TABLE erasure ADD COLUMN traces BLOB",
        // Whether the search under way looks for them, and whether it has found one.
        "ALTER TABLE erasure ADD COLUMN search TEXT CHECK (search IN ('sought', 'found'))",
        "ALTER TABLE sandbox ADD COLUMN search_number INTEGER NOT NULL DEFAULT 0",
        // Bytes of the file before this offset are still to be searched; NULL while no search is under way.
        "ALTER TABLE sandbox ADD COLUMN search_position INTEGER CHECK (search_position >= 0)",
    ]

    /// What is known of the calls to the endpoints beside their attempts.
    private static let calls: [String] = [
        callFailureTable, endpointTable,
        "CREATE INDEX call_failure_card ON call_failure (card)",
        "INSERT INTO endpoint (stage) VALUES \(Stage.allCases.map { "('\($0.rawValue)')" }.joined(separator: ", "))",
    ]

    /// A row per card and stage whose calls have failed since the endpoint last took it; most cards never have one.
    /// `number` is the order of the last failures, `code` that of the last `stop`. A row whose card has ended is kept until the endpoint takes a call.
    private static let callFailureTable = """
        CREATE TABLE call_failure (
            number INTEGER PRIMARY KEY,
            stage TEXT NOT NULL CHECK (stage IN (\(list(Stage.allCases)))),
            card TEXT NOT NULL REFERENCES card (id) ON DELETE CASCADE,
            failures INTEGER NOT NULL CHECK (failures >= 1),
            first_at INTEGER NOT NULL,
            last_at INTEGER NOT NULL,
            stopped_at INTEGER,
            code TEXT,
            CHECK ((stopped_at IS NULL) = (code IS NULL)),
            UNIQUE (stage, card)
        ) STRICT
        """

    /// `succeeded_from` is when the latest call began that the endpoint took, while any card had failed there; 0 for none.
    private static let endpointTable = """
        CREATE TABLE endpoint (
            stage TEXT NOT NULL PRIMARY KEY CHECK (stage IN (\(list(Stage.allCases)))),
            succeeded_from INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID
        """

    /// Pauses by process, and until when hosts asked to be left alone.
    private static let waits: [String] = [
        newStagePauseTable,
        "INSERT INTO new_stage_pause SELECT stage, '', code, message, since FROM stage_pause",
        "DROP TABLE stage_pause",
        "ALTER TABLE new_stage_pause RENAME TO stage_pause",
        hostWaitTable,
    ]

    /// A pause outlives its owner: the next process that works ends it.
    private static let newStagePauseTable = """
        CREATE TABLE new_stage_pause (
            stage TEXT NOT NULL CHECK (stage IN (\(list(Stage.allCases)))),
            owner TEXT NOT NULL,
            code TEXT NOT NULL,
            message TEXT NOT NULL,
            since INTEGER NOT NULL,
            PRIMARY KEY (stage, owner)
        ) STRICT, WITHOUT ROWID
        """

    /// `host` is name and port of an endpoint of the configuration.
    private static let hostWaitTable = """
        CREATE TABLE host_wait (
            host TEXT NOT NULL PRIMARY KEY,
            until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """

    /// Inputs that are no cards yet.
    private static let awaitedInputs: [String] = [
        inputSourceTable, awaitedInputTable,
        "CREATE INDEX awaited_input_source ON awaited_input (source)",
    ]

    /// Who looked through which source (a folder, a manifest), and when that owner last said that it lived. It outlives the
    /// owner: what the owner expected is then missed.
    private static let inputSourceTable = """
        CREATE TABLE input_source (
            id INTEGER PRIMARY KEY,
            source_fingerprint BLOB NOT NULL,
            owner TEXT NOT NULL,
            heartbeat_at INTEGER NOT NULL,
            UNIQUE (source_fingerprint, owner)
        ) STRICT
        """

    /// Inputs that are to become cards, and those that were refused. `number_fingerprint` is that of the business number,
    /// `input_fingerprint` that of path and business number as in `source_file`; of each the first 8 bytes.
    private static let awaitedInputTable = """
        CREATE TABLE awaited_input (
            number_fingerprint BLOB NOT NULL CHECK (length(number_fingerprint) = 8),
            input_fingerprint BLOB NOT NULL CHECK (length(input_fingerprint) = 8),
            source INTEGER NOT NULL REFERENCES input_source (id),
            is_refused INTEGER NOT NULL CHECK (is_refused IN (0, 1)),
            PRIMARY KEY (number_fingerprint, input_fingerprint, source)
        ) STRICT, WITHOUT ROWID
        """
}
