import Foundation
import GRDB

extension SandboxRestore {
    /// Takes over the lines that the replaced sandbox wrote into the access log after the backup: who saw what must not
    /// be forgotten because a backup took its place.
    ///
    /// Only where the one log is the beginning of the other, and the other is whole.
    ///
    /// - Returns: how many lines there were; `nil` if the logs do not go together.
    func continueAccessLog(of store: SandboxStore, in db: Database) throws -> Int? {
        let end = try store.chain.head(in: db)
        let path = self.directory.database
        let queue = try DatabaseQueue(path: path, configuration: SandboxCopy.configuration(isReadOnly: true))
        defer { try? queue.close() }  // It was only read from.
        return try queue.read { previous in
            guard try store.chain.verify(in: previous).findings.isEmpty else { return nil }
            let sql = "SELECT mac FROM access_log WHERE number = ?"
            let same = try Data.fetchOne(previous, sql: sql, arguments: [end.number])
            guard end.number == 0 || same == end.code else { return nil }
            let rows = try Row.fetchCursor(
                previous,
                sql: "SELECT number, at, actor, action, purpose, card, mac FROM access_log WHERE number > ? ORDER BY 1",
                arguments: [end.number]
            )
            var count = 0
            while let row = try rows.next() {
                try db.execute(sql: AccessSQL.insert, arguments: StatementArguments(row.databaseValues))
                count += 1
            }
            let seal = try Data.fetchOne(previous, sql: AccessSQL.seal)
            if count > 0 { try db.execute(sql: AccessSQL.setSeal, arguments: [seal]) }
            return count
        }
    }
}
