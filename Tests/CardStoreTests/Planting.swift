import GRDB

@testable import CardStore

extension StoreHarness {
    /// Changes rows behind the store's back, without the checks of foreign keys.
    func plant(_ statements: String) async throws {
        try await self.store.database.withWriter { connection in
            try connection.execute(sql: "PRAGMA foreign_keys = OFF; \(statements); PRAGMA foreign_keys = ON")
        }
    }

    /// Makes a database that is not a sandbox.
    static func plantFile(_ path: String, _ statements: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { connection in try connection.execute(sql: statements) }
        try queue.close()
    }
}
