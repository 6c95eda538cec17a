import CardModel
import Foundation
import GRDB
import Glibc
import Testing

@testable import CardStore

/// Tasks share as many threads as there are cores: what blocks them holds up everything, calls that run among them.
///
/// Each test starts more waits than there are cores. They end by what another task does, which needs a thread, and fail when
/// SQLite has waited for its five seconds.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SharedThreadTests {
    private static let waits = ProcessInfo.processInfo.activeProcessorCount + 1

    @Test func `VACUUM INTO, which waits for its target`() async throws {
        let harness = try await StoreHarness()
        try await harness.admit("front", number: "N")
        let store = harness.store
        let paths = (0..<Self.waits).map { "\(harness.folder)/backup-\($0)" }
        let locks = try paths.map { try Self.lockForSQLite($0 + ".part") }
        try await withThrowingTaskGroup { group in
            for path in paths {
                group.addTask {
                    _ = try await store.upkeep.backUp(to: path, by: AccessOrigin(actor: "test"), now: Timestamp(Date()))
                }
            }
            group.addTask {
                // Opened here, by the lock of the backup, and by SQLite, perhaps more than once.
                try await Self.until { try paths.allSatisfy { try Self.openings(of: $0 + ".part") >= 3 } }
                for lock in locks { close(lock) }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a commit, which waits for the writer of another process`() async throws {
        var harnesses: [StoreHarness] = []
        for _ in 0..<Self.waits { harnesses.append(try await StoreHarness()) }
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let writers = try harnesses.map {
            try DatabaseQueue(path: "\($0.folder)/sandbox.sqlite3", configuration: configuration)
        }
        for writer in writers { try await writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") } }
        try await withThrowingTaskGroup { group in
            for harness in harnesses {
                let (store, now) = (harness.store, harness.now)
                group.addTask { _ = try await store.upkeep.startWorker(id: "other", command: "run", now: now) }
            }
            let files = harnesses.map { "\($0.folder)/workers/other" }
            group.addTask {
                // The worker's file is made before its row.
                try await Self.until { files.allSatisfy { FileManager.default.fileExists(atPath: $0) } }
                for writer in writers { try await writer.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") } }
            }
            try await group.waitForAll()
        }
    }

    /// Locks the bytes of a file that SQLite locks, as another connection would.
    private static func lockForSQLite(_ path: String) throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        var region = flock()
        region.l_type = Int16(F_WRLCK)
        region.l_whence = Int16(SEEK_SET)
        region.l_start = 0x4000_0000
        region.l_len = 512
        let setLock: Int32 = 37  // F_OFD_SETLK
        try #require(fcntl(descriptor, setLock, &region) == 0)
        return descriptor
    }

    /// How many descriptors of this process are of a file.
    private static func openings(of path: String) throws -> Int {
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) == path
        }
    }

    /// Asks again and again: SQLite tells nobody that it has begun to wait.
    private static func until(_ condition: () throws -> Bool) async throws {
        while try !condition() { try await Task.sleep(for: .milliseconds(1)) }
    }
}
