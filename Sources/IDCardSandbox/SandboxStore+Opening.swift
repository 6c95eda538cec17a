import Foundation
import GRDB
import Glibc
import IDCardCore
import IDCardPipeline

extension SandboxStore {
    /// Opens the sandbox in a directory, and makes it if it is not there.
    ///
    /// - Parameters:
    ///   - directory: the path of the sandbox; made with mode 0700, the database in it with 0600.
    ///   - options: how to open it.
    /// - Throws: `StoreError` with code `notFound` if there is none and it may not be made, `wrongSandbox` if it is
    ///   for the other kind of endpoints or protected in another way, `wrongKey` if the keys given do not open it,
    ///   `unsupportedVersion` if a newer program made it, `unavailable` or `corrupt` if the disk or the file refuses.
    package static func open(directory: String, options: SandboxOptions) throws -> SandboxStore {
        let directory = try SandboxDirectory(directory)
        do {
            guard options.isReadOnly else { return try self.openForWriting(directory, options: options) }
            return try self.rollingBack(directory, options: options) {
                try self.openForReading(directory, options: options)
            }
        } catch {
            throw directory.explaining(StoreError.translating(error))
        }
    }

    private static func openForReading(_ directory: SandboxDirectory, options: SandboxOptions) throws -> SandboxStore {
        guard directory.hasDatabase else { throw self.missing(directory) }
        var configuration = self.configuration(options.storage)
        configuration.readonly = true
        let queue = try DatabaseQueue(path: directory.database, configuration: configuration)
        let (facts, vault) = try queue.read { db in
            let version = try SandboxSchema.check(db)
            guard version > 0 else { throw self.missing(directory) }
            guard version == SandboxSchema.version else {
                throw StoreError(
                    .unsupportedVersion,
                    "the sandbox has the older version \(version); the next `run` brings it up to date, after a backup of it"
                )
            }
            return try self.identify(db, directory: directory, options: options)
        }
        return SandboxStore(
            endpoints: facts,
            directory: directory,
            vault: vault,
            database: queue,
            disk: SandboxDisk(directory, storage: options.storage, isReadOnly: true),
            writer: nil,
            owner: nil,
            recentImages: 0
        )
    }

    private static func openForWriting(_ directory: SandboxDirectory, options: SandboxOptions) throws -> SandboxStore {
        guard directory.hasDatabase || options.endpoints != nil else { throw self.missing(directory) }
        try directory.create()
        // Two processes that start at the same time make one sandbox, one after the other.
        let opening = try self.takeOpeningLock(directory, timeout: options.storage.busyTimeout)
        defer { opening.release() }
        // What a killed restore left may hold cards that were erased since; no restore is under way while we have the lock.
        try directory.removeRestoring()
        let turn = try WriteTurn(path: directory.writeLock, timeout: options.storage.busyTimeout)
        // Opening writes here and there: in a turn of its own, else a busy process would keep it waiting.
        return try turn.hold {
            do {
                return try self.openForWriting(directory, options: options, turn: turn)
            } catch {
                guard let full = StoreError.translating(error) as? StoreError, full.code == .diskFull else {
                    throw error
                }
                // Opening writes a row of its own; what is to be finished or erased on a full disk begins with it.
                let disk = SandboxDisk(directory, storage: options.storage, isReadOnly: false)
                guard disk.giveUpBallast() else { throw error }
                return try self.openForWriting(directory, options: options, turn: turn)
            }
        }
    }

    private static func openForWriting(
        _ directory: SandboxDirectory,
        options: SandboxOptions,
        turn: WriteTurn
    ) throws -> SandboxStore {
        let pool = try DatabasePool(path: directory.database, configuration: self.configuration(options.storage))
        do {
            let ahead = DispatchGroup()
            // The close of a pool does not wait for a read that has yet to begin: it would find the pool closed, and begin anew.
            defer { ahead.wait() }
            try self.requireDurableCommits(pool)
            let version = try pool.writeWithoutTransaction { try SandboxSchema.check($0) }
            if version == SandboxSchema.version { self.readSchemaAhead(pool, in: ahead) }
            guard let endpoints = try options.endpoints ?? self.rememberedEndpoints(pool, version: version) else {
                throw self.missing(directory)
            }
            // Before anything is changed for an access that does not fit.
            if version > 0 { try pool.read { try self.requireMode(options.vault.mode, of: directory, in: $0) } }
            var upgrade: SandboxUpgrade.Report?
            if (1..<SandboxSchema.version).contains(version) {
                upgrade = try SandboxUpgrade(directory: directory, options: options, version: version)
                    .run(pool, endpoints: endpoints)
            } else {
                try SandboxSchema.migrator(endpoints: endpoints, vault: options.vault, now: options.now).migrate(pool)
            }
            let (facts, vault) = try pool.read { try self.identify($0, directory: directory, options: options) }
            let owner = try self.makeOwner(in: directory, pool: pool, keeper: vault.keeper, now: options.now)
            let disk = SandboxDisk(directory, storage: options.storage, isReadOnly: false)
            disk.keepBallast()
            return SandboxStore(
                endpoints: facts,
                directory: directory,
                vault: vault,
                database: pool,
                disk: disk,
                writer: SandboxWriter(
                    pool: pool,
                    turn: turn,
                    disk: disk,
                    log: WriteAheadLog(
                        limit: options.storage.writeAheadLimit,
                        busyTimeout: options.storage.busyTimeout
                    ),
                    keeper: vault.keeper
                ),
                owner: owner,
                recentImages: options.storage.recentImages,
                upgrade: upgrade
            )
        } catch {
            try? pool.close()  // The error that stopped the opening is the one to report.
            throw error
        }
    }

    private static func configuration(_ storage: SandboxStorage) -> Configuration {
        var configuration = Configuration()
        configuration.label = "sandbox"
        configuration.busyMode = .timeout(storage.busyTimeout / .seconds(1))
        configuration.foreignKeysEnabled = true
        // Each keeps pages of its own; more at a time than there are cores to read is of no use.
        configuration.maximumReaderCount = 3
        configuration.prepareDatabase { db in
            if !db.configuration.readonly, try Int.fetchOne(db, sql: "PRAGMA page_count") == 0 {
                // Fixed once the first page is written.
                try db.execute(sql: "PRAGMA page_size = 8192")
                try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            }
            try db.execute(sql: "PRAGMA secure_delete = ON")
            // Journals of statements and savepoints hold copies of pages; in files they would lie in the system's temporary folder.
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            // The writer moves the log itself: SQLite would not tell it of errors.
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            // After a burst the log shrinks back to this many bytes.
            try db.execute(sql: "PRAGMA journal_size_limit = \(storage.writeAheadLimit)")
        }
        return configuration
    }

    /// GRDB lowers `synchronous` to NORMAL whenever it sets WAL, after `prepareDatabase`; only what is read back
    /// counts.
    private static func requireDurableCommits(_ pool: DatabasePool) throws {
        let level = try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            return try Int.fetchOne(db, sql: "PRAGMA synchronous")
        }
        guard level == 2 else {
            throw StoreError(
                .unavailable,
                "SQLite does not commit durably (synchronous is \(level ?? -1), must be 2); please report this"
            )
        }
    }

    /// Lets connections that will read learn the schema while the opening goes on: each takes a millisecond or two for it.
    ///
    /// Nothing depends on it: what fails there is tried again, and told, with the first that is read.
    private static func readSchemaAhead(_ pool: DatabasePool, in group: DispatchGroup) {
        for _ in 0..<2 {
            group.enter()
            pool.asyncRead { access in
                _ = try? access.get().execute(sql: "SELECT id FROM card LIMIT 0")
                group.leave()
            }
        }
    }

    private static func rememberedEndpoints(_ pool: DatabasePool, version: Int) throws -> SandboxOptions.Endpoints? {
        guard version > 0 else { return nil }
        return try pool.read { try String.fetchOne($0, sql: "SELECT endpoints FROM sandbox") }
            .flatMap(SandboxOptions.Endpoints.init)
    }

    private static func makeOwner(
        in directory: SandboxDirectory,
        pool: DatabasePool,
        keeper: KeyRingKeeper?,
        now: Timestamp
    ) throws -> SandboxOwner {
        let owner = try SandboxOwner.register(in: directory)
        let keys = keeper?.keyIDs ?? ""
        do {
            try pool.write { db in
                try db.execute(
                    sql: "INSERT INTO owner (id, started_at, process, key_ids) VALUES (?, ?, ?, ?)",
                    arguments: [owner.id, now.millisecondsSinceEpoch, SandboxOwner.process, keys]
                )
                try self.see(now, in: db)
            }
            keeper?.noted(keys)
        } catch {
            owner.end(removingFile: true)
            throw error
        }
        return owner
    }

    private static func takeOpeningLock(_ directory: SandboxDirectory, timeout: Duration) throws -> FileLock {
        let deadline = ContinuousClock.now + timeout
        repeat {
            if let lock = try FileLock.take(path: directory.openingLock, creating: true) { return lock }
            usleep(5000)
        } while ContinuousClock.now < deadline
        throw StoreError(
            .unavailable,
            "another process has been opening the sandbox \(directory.path) for \(timeout); end it or wait, then try "
                + "again"
        )
    }

    private static func missing(_ directory: SandboxDirectory) -> StoreError {
        StoreError(
            .notFound,
            "there is no sandbox in \(directory.path); a `run` makes one, or name the right directory"
        )
    }
}
