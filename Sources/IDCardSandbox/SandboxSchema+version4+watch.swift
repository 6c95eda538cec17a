extension SandboxSchema {
    /// What watched folders need: which of them have held sidecars or manifests, and which paths were used again.
    static let watch: [String] = [
        """
        CREATE TABLE watched_folder (
            path_fingerprint BLOB NOT NULL PRIMARY KEY,
            noted_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        // Whether more than one card was taken in from the path under its business number.
        "ALTER TABLE source_file ADD COLUMN is_reused INTEGER NOT NULL DEFAULT 0 CHECK (is_reused IN (0, 1))",
    ]
}
