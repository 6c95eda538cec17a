import GRDB
import IDCardCore
import IDCardPipeline

extension SandboxStore {
    /// Asks SQLite whether the file is whole; what it says names tables and pages, never values.
    static func checkDatabase(_ db: Database, quick: Bool) throws -> [SandboxFinding] {
        let pragma = quick ? "quick_check" : "integrity_check"
        return try String.fetchAll(db, sql: "PRAGMA \(pragma)").filter { $0 != "ok" }.map { words in
            SandboxFinding(.databaseDamaged, "SQLite finds the file damaged (\(words)); restore a backup")
        }
    }

    /// Compares tables and indexes with those of a new sandbox.
    static func checkSchema(_ db: Database) throws -> [SandboxFinding] {
        let expected = try DatabaseQueue()
        defer { try? expected.close() }  // In memory; nothing is left of it.
        let now = Timestamp(millisecondsSinceEpoch: 0)
        try SandboxSchema.migrator(endpoints: .embedded, vault: .unencrypted, now: now).migrate(expected)
        let wanted = try expected.read(Self.schema(in:))
        let found = try Self.schema(in: db)
        let names = Set(wanted.keys).union(found.keys).filter { wanted[$0] != found[$0] }.sorted()
        return names.map { name in
            let word = found[name] == nil ? "missing" : wanted[name] == nil ? "not of this program" : "changed"
            return SandboxFinding(.schemaDiffers, name, "the table or index \(name) is \(word); restore a backup")
        }
    }

    private static func schema(in db: Database) throws -> [String: String] {
        let sql = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
        return try Row.fetchAll(db, sql: sql).reduce(into: [:]) { $0[$1["name"]] = $1["sql"] }
    }

    /// Looks for rows that name others which are not there, where no rule of its own says it better.
    static func checkReferences(_ db: Database) throws -> [SandboxFinding] {
        let known = Set(SandboxRule.owned.map(\.table))
        let rows = try Row.fetchAll(
            db,
            sql: #"SELECT DISTINCT "table", parent FROM pragma_foreign_key_check() ORDER BY 1, 2"#
        )
        return rows.compactMap { row -> SandboxFinding? in
            let (table, parent): (String, String) = (row["table"], row["parent"])
            guard !known.contains(table), parent != "owner" else { return nil }
            return SandboxFinding(
                .brokenReference,
                "rows of `\(table)` name rows of `\(parent)` that are not there; restore a backup"
            )
        }
    }
}
