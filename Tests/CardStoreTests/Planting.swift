import GRDB

@testable import CardStore

extension StoreHarness {
    /// Changes rows behind the store's back, without its checks.
    func plant(_ statements: String) async throws {
        try await self.store.database.withWriter { connection in
            try connection.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
            try connection.execute(sql: statements)
            try connection.execute(sql: "PRAGMA foreign_keys = ON; PRAGMA ignore_check_constraints = OFF")
        }
    }

    /// Makes a database that is not a sandbox.
    static func plantFile(_ path: String, _ statements: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { connection in try connection.execute(sql: statements) }
        try queue.close()
    }
}
