import GRDB
import IDCardPipeline

extension SandboxStore {
    /// Moves what is in the write-ahead log into the database file, closes it, and lets the owner go.
    ///
    /// Leases still held count as those of a dead owner afterwards. To be called once, after all work on the store has
    /// ended. The sandbox is closed even if an error is thrown.
    package func close() async throws {
        var failure: (any Error)?
        if let writer = self.writerIfAny, let owner = self.ownerIfAny {
            var hasLeft = false
            do {
                hasLeft = try await self.leave(owner, writer: writer)
                // Waits for no other process: it may be reading, and whoever closes last empties the log. Our own reads have to
                // end: the connections that read are closed after this one, and cannot empty it.
                try await writer.withConnectionAlone { db in
                    if !writer.emptyLog(of: db, waiting: .zero) { writer.checkpoint(db) }
                }
                failure = writer.failure
            } catch {
                failure = error
            }
            owner.end(removingFile: hasLeft)
        }
        do { try self.database.close() } catch { failure = failure ?? StoreError.translating(error) }
        // The log is empty now: there is as much room as there will be.
        self.disk.keepRestOfBallast()
        if let failure { throw failure }
    }

    /// Strikes the owner out, unless leases name it; then it is for another to find it dead.
    private func leave(_ owner: SandboxOwner, writer: SandboxWriter) async throws -> Bool {
        let id = owner.id
        return try await writer.write { db in
            try db.execute(
                sql: """
                    DELETE FROM owner WHERE id = :id
                        AND NOT EXISTS (SELECT 1 FROM card WHERE lease_owner = :id)
                        AND NOT EXISTS (SELECT 1 FROM delivery WHERE lease_owner = :id)
                    """,
                arguments: ["id": id]
            )
            let hasLeft = db.changesCount == 1
            if hasLeft { try db.execute(sql: AwaitedSQL.forgetEmptySources, arguments: ["owner": id]) }
            return hasLeft
        }
    }
}
