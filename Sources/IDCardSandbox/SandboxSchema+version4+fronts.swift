extension SandboxSchema {
    /// The changes for fronts that were erased without having been delivered.
    static let erasedFronts: [String] = [
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
}
