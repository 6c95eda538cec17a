import GRDB

@testable import CardStore

extension StoreHarness {
    /// Changes rows behind the store's back, without the checks of foreign keys.
    func plant(_ statements: String) async throws {
        try await self.store.database.withWriter { connection in
            try connection.execute(sql: "PRAGMA foreign_keys = OFF; \(statements); PRAGMA foreign_keys = ON")
        }
    }
}
