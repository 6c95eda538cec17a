extension SandboxSchema {
    /// What version 4 knows of inputs that are no cards yet.
    static let awaitedInputs: [String] = [
        inputSourceTable, awaitedInputTable,
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
