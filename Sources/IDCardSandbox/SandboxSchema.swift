import GRDB
import IDCardCore
import IDCardPipeline

/// The shape of a sandbox file, its versions, and how a file comes to have it.
enum SandboxSchema {
    /// `IDCP`: what `PRAGMA application_id` says of a sandbox.
    static let applicationID = 0x4944_4350
    /// The version of this program's sandboxes (`PRAGMA user_version`).
    static let version = 5
    /// The purpose under which the key of the fingerprints is kept.
    static let fingerprintKeyPurpose = "fingerprint"

    /// Refuses a file that is not a sandbox, or one of a newer version, before anything is changed.
    ///
    /// - Returns: the version found; 0 for a new file.
    static func check(_ db: Database) throws -> Int {
        let application = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if application == 0, version == 0 {
            // The migrator's own table commits before the first version: a crash between the two leaves it alone.
            let others = "SELECT count(*) FROM sqlite_schema WHERE tbl_name <> 'grdb_migrations'"
            if try Int.fetchOne(db, sql: others) == 0 { return 0 }
        }
        guard application == Self.applicationID else {
            throw StoreError(.corrupt, "the database in the sandbox was made by another program; name another sandbox")
        }
        guard version <= Self.version else {
            throw StoreError(
                .unsupportedVersion,
                "the sandbox has version \(version), this program knows versions up to \(Self.version); "
                    + "use the newer program"
            )
        }
        return version
    }

    /// The migrations of all versions; a new sandbox is made by the same steps.
    ///
    /// They are one migration, hence one transaction: another process never sees a new sandbox at an older version.
    static func migrator(endpoints: SandboxOptions.Endpoints, vault: VaultAccess, now: Timestamp) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("5", merging: ["1", "2", "3", "4"]) { db, applied in
            // A merged migration leaves only its own name behind, so a later one stands for those before it.
            let from = applied.compactMap { Int($0) }.max() ?? 0
            if from < 1 { try self.makeVersion1(endpoints: endpoints, mode: vault.mode, now: now, in: db) }
            if from < 2 { try self.makeVersion2(vault: vault, in: db) }
            if from == 2 { try self.completeVersion2(vault: vault, in: db) }
            if from < 3 { for statement in Self.version3 { try db.execute(sql: statement) } }
            if from < 4 { for statement in Self.version4 { try db.execute(sql: statement) } }
            for statement in Self.version5 { try db.execute(sql: statement) }
            try db.execute(sql: "PRAGMA user_version = \(Self.version)")
        }
        return migrator
    }

    /// Makes a sandbox of version 1 in an empty database.
    static func makeVersion1(
        endpoints: SandboxOptions.Endpoints,
        mode: Vault.Mode,
        now: Timestamp,
        in db: Database
    ) throws {
        for statement in Self.tables + Self.indexes {
            try db.execute(sql: statement)
        }
        try db.execute(
            sql: """
                INSERT INTO sandbox (id, endpoints, vault, next_intake_order, created_at) VALUES (1, ?, ?, 1, ?)
                """,
            arguments: [endpoints.rawValue, mode.rawValue, now.millisecondsSinceEpoch]
        )
        try db.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
        try db.execute(sql: "PRAGMA user_version = 1")
    }

    /// Brings a sandbox of version 1 to version 2.
    static func makeVersion2(vault: VaultAccess, in db: Database) throws {
        for statement in Self.version2 { try db.execute(sql: statement) }
        try db.execute(sql: "UPDATE sandbox SET key_id = ?", arguments: [vault.ring?.current.id])
        // A sandbox of version 1 has the first of them, in the clear: it was never encrypted.
        let present = try String.fetchSet(db, sql: "SELECT purpose FROM vault_key")
        for purpose in [Self.fingerprintKeyPurpose, Self.chainKeyPurpose] where !present.contains(purpose) {
            try Vault.makeSandboxKey(purpose, under: vault.ring?.current, in: db)
        }
        try AccessChain(vault: Vault.opening(vault, in: db)).begin(in: db)
        try db.execute(sql: "PRAGMA user_version = 2")
    }

    /// `'a', 'b'`: a closed set as SQL text.
    static func list(_ values: some Sequence<some RawRepresentable<String>>) -> String {
        values.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }
}
