import CardModel
import GRDB

@testable import CardStore

extension StoreHarness {
    /// Changes rows behind the store's back, without its checks; images come from the sandbox then, as after a restart.
    func plant(_ statements: String) async throws {
        try await self.store.database.withWriter { connection in
            try connection.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
            try connection.execute(sql: statements)
            try connection.execute(sql: "PRAGMA foreign_keys = ON; PRAGMA ignore_check_constraints = OFF")
        }
        try await self.forgetImages()
    }

    /// Has every image read from the sandbox.
    func forgetImages() async throws {
        let cards: [CardID] = try await self.store.read { tx in try tx.rows("SELECT id FROM card") { try $0.next() } }
        self.store.preparedImages.drop(cards)
    }

    /// Makes a database that is not a sandbox.
    static func plantFile(_ path: String, _ statements: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { connection in try connection.execute(sql: statements) }
        try queue.close()
    }
}
