import GRDB

extension SandboxSchema {
    /// Brings a sandbox of version 2 to the shape that version had in the end: it grew in several commits.
    static func completeVersion2(vault: VaultAccess, in db: Database) throws {
        if try !self.has("access_head", in: "sandbox", db) {
            try db.execute(sql: "ALTER TABLE sandbox ADD COLUMN access_head BLOB")
        }
        if try !db.tableExists("erasure") {
            try db.execute(sql: self.erasureTable)
            try db.execute(sql: self.erasureIndex)
        }
        if try !self.has("is_accepted", in: "card", db) {
            try db.execute(sql: self.acceptedColumn)
        }
        if try !self.has("content_fingerprint", in: "source_file", db) {
            // Not altered but made again, so that its text is that of every other sandbox, which the check compares.
            try db.execute(sql: "ALTER TABLE source_file RENAME TO source_file_before")
            try db.execute(sql: self.sourceFileTable2)
            try db.execute(
                sql: """
                    INSERT INTO source_file (path_fingerprint, device, inode, size, modified_ns, card)
                    SELECT path_fingerprint, device, inode, size, modified_ns, card FROM source_file_before
                    """
            )
            try db.execute(sql: "DROP TABLE source_file_before")
            try db.execute(sql: self.sourceFileIndex)
        }
        try db.execute(sql: self.forgetSentParts)
        let isUnsealed = """
            SELECT access_head IS NULL AND NOT EXISTS (SELECT 1 FROM access_log) FROM sandbox
            """
        // Then a new log had no seal before its first line.
        if try Bool.fetchOne(db, sql: isUnsealed) == true {
            try AccessChain(vault: Vault.opening(vault, in: db)).begin(in: db)
        }
    }

    private static func has(_ column: String, in table: String, _ db: Database) throws -> Bool {
        try db.columns(in: table).contains { $0.name == column }
    }
}
