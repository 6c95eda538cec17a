import GRDB
import IDCardPipeline

/// A database file of a sandbox that nobody works with: a backup, or one that is about to become the sandbox.
struct SandboxCopy {
    /// The sandbox in the file, with which only the functions that take a database work.
    let store: SandboxStore
    let queue: DatabaseQueue

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - isReadOnly: whether it is only looked at.
    ///   - directory: the folder named in messages.
    ///   - options: what the sandbox must be, and the key.
    init(_ path: String, isReadOnly: Bool, directory: SandboxDirectory, options: SandboxOptions) throws {
        try self.init(path, isReadOnly: isReadOnly, directory: directory, storage: options.storage) { db in
            try SandboxStore.identify(db, directory: directory, options: options)
        }
    }

    /// Opens a file that was copied from an open sandbox, with the same keys.
    init(_ path: String, isReadOnly: Bool, of store: SandboxStore) throws {
        let storage = store.disk.storage
        try self.init(path, isReadOnly: isReadOnly, directory: store.directory, storage: storage) { _ in
            (store.endpoints, store.vault)
        }
    }

    private init(
        _ path: String,
        isReadOnly: Bool,
        directory: SandboxDirectory,
        storage: SandboxStorage,
        identify: (Database) throws -> (SandboxOptions.Endpoints, Vault)
    ) throws {
        let queue = try DatabaseQueue(path: path, configuration: Self.configuration(isReadOnly: isReadOnly))
        do {
            self.store = try queue.unsafeRead { db in
                guard try SandboxSchema.check(db) == SandboxSchema.version else {
                    throw StoreError(.unsupportedVersion, "\(path) has another version than this program's sandboxes")
                }
                let (endpoints, vault) = try identify(db)
                return SandboxStore(
                    endpoints: endpoints,
                    directory: directory,
                    vault: vault,
                    database: queue,
                    disk: SandboxDisk(directory, storage: storage, isReadOnly: true),
                    writer: nil,
                    owner: nil,
                    recentImages: 0
                )
            }
            self.queue = queue
        } catch {
            try? queue.close()  // The error that stopped the opening is the one to report.
            throw error
        }
    }

    /// Changes the file, in one transaction.
    func change<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try self.queue.writeWithoutTransaction { db in
            // Whoever is killed here leaves a file that nobody uses; beside it there must not be another.
            try db.execute(sql: "PRAGMA journal_mode = MEMORY")
            var result: Result<Value, any Error>?
            try db.inTransaction(.exclusive) {
                result = .success(try body(db))
                return .commit
            }
            guard let result else { throw StoreError(.unavailable, "the change did not run; please report this") }
            return try result.get()
        }
    }

    /// Takes out what belongs to the processes that had the sandbox open: they do not have the copy open.
    func forgetProcesses() throws {
        try self.change { db in
            for table in ["card", "delivery"] {
                try db.execute(
                    sql: """
                        UPDATE \(table) SET lease_owner = NULL, lease_expires_at = NULL WHERE lease_owner IS NOT NULL
                        """
                )
            }
            try db.execute(sql: "DELETE FROM owner")
            try db.execute(sql: "DELETE FROM stage_pause")
            try db.execute(sql: "DELETE FROM host_wait")
        }
    }

    func close() throws {
        try self.queue.close()
    }

    /// How a file that nobody else works with is opened.
    static func configuration(isReadOnly: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.label = "sandbox-copy"
        configuration.readonly = isReadOnly
        configuration.busyMode = .timeout(5)
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA secure_delete = ON")
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        return configuration
    }
}

extension SandboxFinding {
    /// Whether it makes a copy worthless: the file itself is not whole, or somebody has changed it.
    var makesCopyWorthless: Bool {
        [.databaseDamaged, .schemaDiffers, .brokenReference, .chainBroken].contains(self.code)
    }
}
