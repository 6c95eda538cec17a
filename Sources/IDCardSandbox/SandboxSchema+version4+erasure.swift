extension SandboxSchema {
    /// What is looked for after erasures, and how far the search has come.
    static let version4Erasure: [String] = [
        // Keyed fingerprints of the bytes that must be found nowhere any more (`ErasedTrace`); NULL where nobody knows them.
        "ALTER TABLE erasure ADD COLUMN traces BLOB",
        // Whether the search under way looks for them, and whether it has found one.
        "ALTER TABLE erasure ADD COLUMN search TEXT CHECK (search IN ('sought', 'found'))",
        "ALTER TABLE sandbox ADD COLUMN search_number INTEGER NOT NULL DEFAULT 0",
        // Bytes of the file before this offset are still to be searched; NULL while no search is under way.
        "ALTER TABLE sandbox ADD COLUMN search_position INTEGER CHECK (search_position >= 0)",
    ]
}
