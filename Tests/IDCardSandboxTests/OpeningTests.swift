import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Synchronization
import Testing

@testable import IDCardSandbox

/// What opening makes, remembers and refuses.
struct OpeningTests {
    let folder = SandboxFolder()

    private func expectRefusal(_ code: StoreError.Code, containing words: String, _ open: () throws -> SandboxStore) {
        let error = #expect(throws: StoreError.self) { try open() }
        #expect(error?.code == code)
        #expect(error?.message.contains(words) == true)
    }

    @Test("the connection that writes reads synchronous = 2 (FULL), before and after writing")
    func synchronousIsFull() async throws {
        let store = try self.folder.open()
        #expect(try await store.synchronousLevel() == 2)
        _ = try await store.admit(.sample(1), now: .second(1))
        #expect(try await store.synchronousLevel() == 2)
        try await store.close()
        let again = try self.folder.open()
        #expect(try await again.synchronousLevel() == 2)
    }

    @Test(
        "a new sandbox is made with the pragmas of the design",
        arguments: [("page_size", 8192), ("auto_vacuum", 2), ("application_id", 0x4944_4350), ("user_version", 5)]
    )
    func pragmas(name: String, value: Int) throws {
        _ = try self.folder.open()
        #expect(try self.folder.raw { try Int.fetchOne($0, sql: "PRAGMA \(name)") } == value)
        #expect(try self.folder.raw { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    }

    @Test(
        "the connection that writes is set up as designed",
        arguments: [
            ("foreign_keys", 1), ("secure_delete", 1), ("busy_timeout", 30_000), ("temp_store", 2),
            ("wal_autocheckpoint", 0),
        ]
    )
    func connection(name: String, value: Int) async throws {
        let store = try self.folder.open()
        #expect(try await store.writer.withConnection { try Int.fetchOne($0, sql: "PRAGMA \(name)") } == value)
    }

    @Test("a sandbox whose making was cut off at its first page is none, and is made", arguments: [false, true])
    func cutOffAtOnce(withJournal: Bool) async throws {
        try await self.folder.open().close()
        for file in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: self.folder.database + file) }
        let page = Data("SQLite format 3\0".utf8) + Data(repeating: 0, count: 8176)
        try (withJournal ? page : Data()).write(to: URL(filePath: self.folder.database))
        if withJournal {
            // The journal of a transaction on an empty file: no pages, a sector of 512 bytes, pages of 8192.
            let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
            let header = magic + [0, 0, 0, 0, 0x0d, 0x56, 0xcc, 0x97, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0x20, 0]
            try Data(header + Array(repeating: 0, count: 512 - header.count))
                .write(to: URL(filePath: self.folder.database + "-journal"))
        }
        #expect(try !SandboxStore.isThere(self.folder.path, keptAs: .encrypted))
        self.expectRefusal(.notFound, containing: "no sandbox") { try self.folder.open(nil, readOnly: true) }
        let store = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        #expect(try await store.stateCounts() == [.prepared: 1])
    }

    @Test("a sandbox whose making was cut off after the migrator's own table is made to its end")
    func cutOffInTheMaking() async throws {
        try FileManager.default.createDirectory(atPath: self.folder.path, withIntermediateDirectories: true)
        try self.folder.raw { db in
            try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        }
        try await self.folder.open().close()
        #expect(try self.folder.raw { try Int.fetchOne($0, sql: "PRAGMA application_id") } == 0x4944_4350)
    }

    @Test("a new sandbox is never seen at an older version, whoever looks between its commits")
    func madeAtOnce() throws {
        let queue = try DatabaseQueue()
        let watcher = VersionWatcher()
        queue.add(transactionObserver: watcher)
        try SandboxSchema.migrator(endpoints: .embedded, vault: .unencrypted, now: .second(0)).migrate(queue)
        #expect(Set(watcher.versions.withLock { $0 }) == [0, SandboxSchema.version])
    }

    @Test("a sandbox refuses the other kind of endpoints and says what to do")
    func endpointsMark() async throws {
        try await self.folder.open(.embedded).close()
        self.expectRefusal(.wrongSandbox, containing: "add --embedded") { try self.folder.open(.external) }
        self.expectRefusal(.wrongSandbox, containing: "add --embedded") {
            try self.folder.open(.external, readOnly: true)
        }
        #expect(try self.folder.open(nil).endpoints == .embedded)
    }

    @Test("a sandbox of a newer version is refused and left as it is", arguments: [false, true])
    func newerVersion(readOnly: Bool) async throws {
        try await self.folder.open().close()
        try self.folder.raw { try $0.execute(sql: "PRAGMA user_version = 99") }
        self.expectRefusal(.unsupportedVersion, containing: "99") { try self.folder.open(readOnly: readOnly) }
        #expect(try self.folder.raw { try Int.fetchOne($0, sql: "PRAGMA user_version") } == 99)
    }

    @Test("the database of another program is refused and left as it is")
    func foreignDatabase() throws {
        try FileManager.default.createDirectory(atPath: self.folder.path, withIntermediateDirectories: true)
        try self.folder.raw { try $0.execute(sql: "CREATE TABLE theirs (x)") }
        self.expectRefusal(.corrupt, containing: "another program") { try self.folder.open() }
        #expect(try self.folder.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") } == 1)
    }

    @Test("a file that is no database is refused")
    func noDatabase() throws {
        try FileManager.default.createDirectory(atPath: self.folder.path, withIntermediateDirectories: true)
        try Data(repeating: 7, count: 50_000).write(to: URL(fileURLWithPath: self.folder.database))
        self.expectRefusal(.corrupt, containing: "damaged") { try self.folder.open() }
    }

    @Test("a directory with other things in it that others may look into is refused, not closed to them")
    func sharedDirectory() throws {
        try FileManager.default.createDirectory(
            atPath: self.folder.path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
        #expect(FileManager.default.createFile(atPath: self.folder.path + "/theirs", contents: nil))
        self.expectRefusal(.unavailable, containing: "new directory") { try self.folder.open() }
        #expect(try self.folder.mode() == 0o755)
    }

    @Test("a directory that cannot be made is refused, also where the system says that something above it is missing")
    func impossibleDirectory() throws {
        for path in ["/proc/sandbox", "/proc/sandbox/deeper", "/dev/null/sandbox"] {
            self.expectRefusal(.unavailable, containing: "cannot be made") {
                try SandboxStore.open(directory: path, options: SandboxOptions(endpoints: .embedded, vault: .sample))
            }
        }
    }

    @Test("two openings at the same time make one sandbox")
    func simultaneous() async throws {
        let folder = self.folder
        let fingerprints = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<4 {
                group.addTask { try folder.open().vault.fingerprint(Data([1]), purpose: Vault.Purpose.path) }
            }
            return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
        }
        #expect(fingerprints.count == 1)
    }
}

/// Writes down which version of the sandbox each commit leaves.
private final class VersionWatcher: TransactionObserver {
    let versions = Mutex<[Int]>([])

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidRollback(_ db: Database) {}

    func databaseDidCommit(_ db: Database) {
        let version = (try? Int.fetchOne(db, sql: "PRAGMA user_version")) ?? nil
        self.versions.withLock { $0.append(version ?? -1) }
    }
}
