extension SandboxSchema {
    /// What a change of keys in two steps needs: the key that comes next, and who could read it.
    static let keyAnnouncement: [String] = [
        // The key that was announced and is not in use yet.
        "ALTER TABLE sandbox ADD COLUMN announced_key_id TEXT",
        // For messages: the command, the process id and the machine. Empty for a row of an older program.
        "ALTER TABLE owner ADD COLUMN process TEXT NOT NULL DEFAULT ''",
        // The ids of the keys that the process has, with blanks between them.
        "ALTER TABLE owner ADD COLUMN key_ids TEXT NOT NULL DEFAULT ''",
    ]
}
