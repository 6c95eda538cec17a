extension SandboxSchema {
    /// The last time that the sandbox saw, and a clock too far ahead of it to be believed: see `SeenTime`.
    static let version4Clock: [String] = [
        "ALTER TABLE sandbox ADD COLUMN last_seen_at INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE sandbox ADD COLUMN doubted_since INTEGER",
        "ALTER TABLE sandbox ADD COLUMN doubted_until INTEGER",
        // What the rows say of the last time at which anything was done.
        """
        UPDATE sandbox SET last_seen_at = max(
            created_at, COALESCE((SELECT max(changed_at) FROM card), 0), COALESCE((SELECT max(started_at) FROM owner), 0)
        )
        """,
    ]
}
