import GRDB
import Glibc
import IDCardCore
import IDCardPipeline

/// Brings the sandbox of an older program to the version of this one, after a checked copy of it as it was.
///
/// To be run by whoever opens the sandbox, with the opening lock and the turn to write.
struct SandboxUpgrade {
    /// What was done.
    struct Report: Hashable, Sendable {
        /// The version that the sandbox had.
        var version: Int
        /// Where the copy is; `nil` if it was declined.
        var backup: String?
    }

    let directory: SandboxDirectory
    let options: SandboxOptions
    /// The version that the sandbox has.
    let version: Int

    /// Makes the copy and changes the sandbox, in one transaction.
    ///
    /// - Throws: `StoreError.unavailable` if another process has the sandbox open or there is no room for the copy,
    ///   `corrupt` if the copy is not whole. The sandbox is as before then.
    func run(_ pool: DatabasePool, endpoints: SandboxOptions.Endpoints) throws -> Report {
        try self.requireAlone()
        let backup = self.options.storage.keepsUpgradeBackup ? try self.backUp(pool) : nil
        try SandboxSchema.migrator(endpoints: endpoints, vault: self.options.vault, now: self.options.now).migrate(pool)
        return Report(version: self.version, backup: backup)
    }

    /// An older program that goes on working would write into tables that are not its own any more.
    private func requireAlone() throws {
        let living = try self.directory.livingOwners()
        guard living == 0 else {
            throw StoreError(
                .unavailable,
                "the sandbox \(self.directory.path) has the older version \(self.version), and "
                    + "\(living == 1 ? "a process has" : "\(living) processes have") it open; end what runs there, then "
                    + "try again"
            )
        }
    }

    // MARK: The copy

    private func backUp(_ pool: DatabasePool) throws -> String {
        try self.requireRoom()
        let path = self.directory.upgradeBackup(of: self.version)
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        let temporary = "\(path).\(UUIDText.version4(using: &random)).part"
        do {
            try self.directory.removeUpgradeParts()
            try DurableFile.create(temporary)
            defer { FileCall.unlink(temporary) }
            try SandboxStore.copyDatabase(self.directory.database, to: temporary)
            try self.verify(temporary, against: pool)
            try DurableFile.synchronise(temporary)
            // One that is there was made by an upgrade that was cut short: the sandbox still has that version.
            try DurableFile.rename(temporary, to: path, replacing: true)
        } catch {
            throw Self.explaining(StoreError.translating(error))
        }
        return path
    }

    private func requireRoom() throws {
        let disk = SandboxDisk(self.directory, storage: self.options.storage, isReadOnly: true)
        let (needed, isImpossible) = (disk.databaseSize + disk.logSize)
            .addingReportingOverflow(self.options.storage.workFreeSpace)
        guard isImpossible || disk.free < needed else { return }
        throw StoreError(
            .unavailable,
            "the sandbox \(self.directory.path) has the older version \(self.version) and is changed only after a backup "
                + "of it, for which \(needed >> 20) MiB have to be free on its disk, and \(disk.free >> 20) MiB are; free "
                + "some space, \(Self.declining)"
        )
    }

    private static let declining =
        "or do without the backup: sandbox.upgrade_backup: false (IDCARD_SANDBOX_UPGRADE_BACKUP=false)"

    private static func explaining(_ error: any Error) -> any Error {
        guard let error = error as? StoreError else { return error }
        return StoreError(
            error.code == .diskFull ? .unavailable : error.code,
            "the backup before the upgrade of the sandbox failed, nothing was changed: \(error.message); \(Self.declining)",
            cause: error
        )
    }

    /// Compares the copy with the sandbox, table by table, and asks SQLite whether it is whole.
    private func verify(_ path: String, against pool: DatabasePool) throws {
        let wanted = try pool.read(Self.sizes)
        let queue = try DatabaseQueue(path: path, configuration: SandboxCopy.configuration(isReadOnly: true))
        defer { try? queue.close() }  // It was only read from.
        try queue.read { db in
            let words = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            guard words == ["ok"], try Self.sizes(db) == wanted else {
                throw StoreError(.corrupt, "the copy is not whole; `fsck` of the older program checks the sandbox")
            }
        }
    }

    /// The version, and the number of rows of every table.
    private static func sizes(_ db: Database) throws -> [String: Int] {
        let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
        var sizes = ["PRAGMA user_version": try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0]
        for table in tables {
            sizes[table] = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table.quotedDatabaseIdentifier)")
        }
        return sizes
    }
}

extension SandboxDirectory {
    /// How the names begin of copies that upgrades have made.
    static let upgradeBackupPrefix = "sandbox-version-"

    /// The copy of the sandbox as it was at a version.
    func upgradeBackup(of version: Int) -> String { "\(self.path)/\(Self.upgradeBackupPrefix)\(version).backup" }

    /// The names of the copies that upgrades have made.
    func upgradeBackups() throws -> [String] {
        try self.entries(of: self.path).filter { $0.hasPrefix(Self.upgradeBackupPrefix) }
    }

    /// Removes the copies that upgrades have made: with the first erasure they would hold what was erased.
    func removeUpgradeBackups() throws {
        for name in try self.upgradeBackups() {
            guard FileCall.unlink("\(self.path)/\(name)") == 0 || errno == ENOENT else {
                throw DurableFile.failure("\(self.path)/\(name) cannot be removed")
            }
        }
    }

    fileprivate func removeUpgradeParts() throws {
        for name in try self.upgradeBackups() where name.hasSuffix(".part") { FileCall.unlink("\(self.path)/\(name)") }
    }

    /// How many living processes have the sandbox open.
    func livingOwners() throws -> Int {
        try self.entries(of: self.owners).count { FileLock.probe(self.ownerFile(of: $0)) == .held }
    }
}
