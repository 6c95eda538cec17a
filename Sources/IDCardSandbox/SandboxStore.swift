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
    /// The room there is.
    let disk: SandboxDisk
    let database: any DatabaseReader
    let writerIfAny: SandboxWriter?
    let ownerIfAny: SandboxOwner?
    private let upgrade: SandboxUpgrade.Report?
    /// What this process has in its hands of the cards under way.
    let recent: RecentCards
    /// Whether any image may have brought a decoder down, as of the last look at the leases.
    let crashWatch = CrashWatch()

    init(
        endpoints: SandboxOptions.Endpoints,
        directory: SandboxDirectory,
        vault: Vault,
        database: any DatabaseReader,
        disk: SandboxDisk,
        writer: SandboxWriter?,
        owner: SandboxOwner?,
        recentImages: Int,
        upgrade: SandboxUpgrade.Report? = nil
    ) {
        self.endpoints = endpoints
        self.directory = directory
        self.vault = vault
        self.disk = disk
        self.database = database
        self.writerIfAny = writer
        self.ownerIfAny = owner
        self.recent = RecentCards(limit: recentImages)
        self.upgrade = upgrade
    }

    /// Says that the opening has brought the sandbox of an older program up to date, and where its copy is.
    package var upgradeNote: String? {
        guard let upgrade else { return nil }
        let version = "the sandbox was brought from version \(upgrade.version) to \(SandboxSchema.version)"
        guard let backup = upgrade.backup else { return "\(version), without a backup (sandbox.upgrade_backup: false)" }
        return
            "\(version); a checked backup of it as it was is \(backup); the first erasure removes that file, so copy "
            + "it elsewhere to keep it"
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

    package func gatherCommits(while mayWait: @escaping @Sendable () -> Bool) {
        self.writerIfAny?.gather(while: mayWait)
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
        guard let keeper = self.vault.keeper else { return try await self.readOnce(body) }
        return try await keeper.renewing { try await self.readOnce(body) }
    }

    private func readOnce<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
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
}
