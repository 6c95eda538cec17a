import GRDB
import IDCardPipeline

/// The store in one SQLite file; opened by `SandboxStore.open(directory:options:)`.
///
/// Reading never waits for writing (WAL, a pool of readers). All writing passes `writer`, everything personal passes
/// `vault`.
package final class SandboxStore: CardStore {
    /// The kind of endpoints the sandbox was made for.
    package let endpoints: SandboxOptions.Endpoints
    let directory: SandboxDirectory
    let vault: Vault
    private let database: any DatabaseReader
    private let writerIfAny: SandboxWriter?
    private let ownerIfAny: SandboxOwner?

    init(
        endpoints: SandboxOptions.Endpoints,
        directory: SandboxDirectory,
        vault: Vault,
        database: any DatabaseReader,
        writer: SandboxWriter?,
        owner: SandboxOwner?
    ) {
        self.endpoints = endpoints
        self.directory = directory
        self.vault = vault
        self.database = database
        self.writerIfAny = writer
        self.ownerIfAny = owner
    }

    /// The door for writes.
    ///
    /// - Throws: `StoreError.unavailable` if the sandbox was opened only to look at it.
    var writer: SandboxWriter {
        get throws {
            guard let writer = self.writerIfAny else { throw Self.readOnly }
            return writer
        }
    }

    /// Who holds the leases taken here.
    var owner: String {
        get throws { try self.registeredOwner.id }
    }

    /// The owner with its file.
    var registeredOwner: SandboxOwner {
        get throws {
            guard let owner = self.ownerIfAny else { throw Self.readOnly }
            return owner
        }
    }

    private static let readOnly = StoreError(.unavailable, "the sandbox was opened only to look at it")

    /// Reads from one consistent state; unlike GRDB's own it is not cut short by cancellation, as work in flight must
    /// end well.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.database.asyncRead { access in
                continuation.resume(
                    with: Result {
                        do { return try body(access.get()) } catch { throw StoreError.translating(error) }
                    }
                )
            }
        }
    }

    /// Reads `PRAGMA synchronous` on the connection that writes; 2 (FULL) is what makes a commit outlive a power cut.
    package func synchronousLevel() async throws -> Int {
        try await self.writer.withConnection { try Int.fetchOne($0, sql: "PRAGMA synchronous") ?? -1 }
    }

    /// Moves what is in the write-ahead log into the database file, closes it, and lets the owner go.
    ///
    /// Leases still held count as those of a dead owner afterwards. To be called once, after all work on the store has
    /// ended.
    package func close() async throws {
        if let writer = self.writerIfAny, let owner = self.ownerIfAny {
            let hasLeft = try await writer.write { db in
                try db.execute(
                    sql: """
                        DELETE FROM owner WHERE id = :id
                            AND NOT EXISTS (SELECT 1 FROM card WHERE lease_owner = :id)
                            AND NOT EXISTS (SELECT 1 FROM delivery WHERE lease_owner = :id)
                        """,
                    arguments: ["id": owner.id]
                )
                return db.changesCount == 1
            }
            // Passive: another process may be reading; whoever closes last empties the log.
            _ = try await writer.withConnection { try $0.checkpoint(.passive) }
            owner.end(removingFile: hasLeft)
        }
        do { try self.database.close() } catch { throw StoreError.translating(error) }
    }
}
