extension SandboxSchema {
    /// The changes from version 3 to version 4.
    static let version4: [String] = erasedFronts + keyAnnouncement

    /// The changes for fronts that were erased without having been delivered.
    private static let erasedFronts: [String] = [
        erasedFrontTable,
        // A person let the back go without its front.
        "ALTER TABLE card ADD COLUMN goes_alone INTEGER NOT NULL DEFAULT 0 CHECK (goes_alone IN (0, 1))",
        // Which backs does a delivered front release?
        "CREATE INDEX card_held ON card (business_no) WHERE state = 'held'",
    ]

    /// The business numbers, as keyed fingerprints, of which a front was erased undelivered. A row stays until a front of
    /// its number is delivered.
    private static let erasedFrontTable = """
        CREATE TABLE erased_front (
            number_fingerprint BLOB NOT NULL PRIMARY KEY,
            since INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID
        """

    /// What a change of keys in two steps needs: the key that comes next, and who could read it.
    private static let keyAnnouncement: [String] = [
        // The key that was announced and is not in use yet.
        "ALTER TABLE sandbox ADD COLUMN announced_key_id TEXT",
        // For messages: the command, the process id and the machine. Empty for a row of an older program.
        "ALTER TABLE owner ADD COLUMN process TEXT NOT NULL DEFAULT ''",
        // The ids of the keys that the process has, with blanks between them.
        "ALTER TABLE owner ADD COLUMN key_ids TEXT NOT NULL DEFAULT ''",
    ]
}
