import Foundation
import GRDB
import Glibc
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardSandbox

/// The write-ahead log stays bounded, whoever reads.
struct WriteAheadLogTests {
    let folder = SandboxFolder()

    private static let limit = 2 << 20

    private var storage: SandboxStorage {
        var storage = SandboxFolder.storage
        storage.writeAheadLimit = Self.limit
        return storage
    }

    private func reader() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(30)
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: self.folder.database, configuration: configuration)
    }

    private func begin(_ reader: DatabaseQueue) throws {
        try reader.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN")
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM card")
        }
    }

    private func end(_ reader: DatabaseQueue) throws {
        try reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    }

    /// Reads so that, at every moment, some reader is in the middle of it.
    private func readWithoutGap(until isDone: () -> Bool) throws {
        var (first, second) = (try self.reader(), try self.reader())
        try self.begin(first)
        while !isDone() {
            try self.begin(second)
            try self.end(first)
            swap(&first, &second)
        }
        try self.end(first)
    }

    @Test("a read that ends a moment after its value is there does not keep the log from being emptied")
    func lateReader() async throws {
        let store = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        let count: Int? = try await withCheckedThrowingContinuation { continuation in
            store.database.asyncRead { access in
                continuation.resume(
                    with: Result { try Int.fetchOne(access.get(), sql: "SELECT count(*) FROM card") }
                )
                // A thread that has to wait for a processor just then.
                usleep(300_000)
            }
        }
        #expect(count == 1)
        try await store.close()
        #expect(FileFacts(self.folder.database + "-wal")?.size ?? 0 == 0)
    }

    @Test(
        "readers that follow each other without a gap do not make the log grow for ever",
        .timeLimit(.minutes(Sanitizer.minutes(3)))
    )
    func overlappingReaders() async throws {
        let store = try self.folder.open(storage: self.storage)
        let isDone = Flag()
        let largest = try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                try await onThread { try self.readWithoutGap(until: { isDone.isRaised }) }
                return 0
            }
            group.addTask {
                defer { isDone.raise() }
                var largest = 0
                for number in 1...200 {
                    _ = try await store.admit(.sample(number, byteCount: 100_000), now: .second(1))
                    largest = max(largest, store.disk.logSize)
                }
                return largest
            }
            return try await group.reduce(0, max)
        }
        // 20 MB were written; a try that comes too early is repeated after half a mebibyte.
        #expect(largest < 2 * Self.limit)
        #expect(try store.writer.statistics.checkpoints > 0)
    }

    @Test("a long reader only puts the emptying off, and sees what it saw")
    func longReader() async throws {
        var storage = self.storage
        // Readers are waited for a sixth of that.
        storage.busyTimeout = .seconds(1)
        let store = try self.folder.open(storage: storage)
        let reader = try self.reader()
        try self.begin(reader)
        for number in 1...40 { _ = try await store.admit(.sample(number, byteCount: 100_000), now: .second(1)) }
        #expect(store.disk.logSize > Self.limit)
        #expect(try await !store.writer.emptyLog(waiting: .zero))
        let seen = try await reader.writeWithoutTransaction { try Int.fetchOne($0, sql: "SELECT count(*) FROM card") }
        #expect(seen == 0)
        try self.end(reader)
        #expect(try await store.writer.emptyLog(waiting: .seconds(5)))
        #expect(store.disk.logSize == 0)
        #expect(try await store.stateCounts() == [.prepared: 40])
        #expect(try await store.readiness().isReady)
    }

    @Test("the log is moved into the database while work goes on, and not after every change")
    func checkpoints() async throws {
        let store = try self.folder.open()
        for number in 1...100 { _ = try await store.admit(.sample(number, byteCount: 400_000), now: .second(1)) }
        let statistics = try store.writer.statistics
        #expect(statistics.commits >= 100)
        #expect((1...30).contains(statistics.checkpoints))
        #expect(store.disk.databaseSize > 20 << 20)
        #expect(store.disk.logSize < 30 << 20)
    }

    @Test("an fsync that fails while the log is moved shuts the door, another failure does not")
    func failures() async throws {
        let store = try self.folder.open()
        let writer = try store.writer
        _ = await #expect(throws: StoreError.self) {
            try await writer.withConnection { _ in throw DatabaseError(resultCode: .SQLITE_IOERR_READ) }
        }
        _ = try await store.admit(.sample(1), now: .second(1))
        _ = await #expect(throws: StoreError.self) {
            try await writer.withConnection { _ in throw DatabaseError(resultCode: .SQLITE_IOERR_FSYNC) }
        }
        await #expect(throws: StoreError.self) { try await store.admit(.sample(2), now: .second(1)) }
        #expect(try await store.readiness().findings.count == 1)
    }

    @Test(
        "the waiting for readers grows with every failure, up to a bound that others outlast",
        arguments: [(Duration.seconds(30), 5000), (.seconds(6), 1000), (.seconds(3600), 5000)]
    )
    func waiting(busyTimeout: Duration, most: Int) {
        let log = WriteAheadLog(limit: 1000, busyTimeout: busyTimeout)
        #expect(log.due(size: 999) == .nothing)
        var waits: [Duration] = []
        var size = 1000
        for _ in 0..<20 {
            guard case .emptying(let wait) = log.due(size: size) else { break }
            waits.append(wait)
            log.tried(emptied: false, size: size)
            let retry = size + max(250, size / 4)
            #expect(log.due(size: retry - 1) == .nothing)
            size = retry
        }
        #expect(waits.count == 20)
        #expect(waits.first == .milliseconds(100))
        #expect(waits == waits.sorted())
        #expect(waits.last == .milliseconds(most))
        log.tried(emptied: true, size: 0)
        #expect(log.due(size: 1000) == .emptying(wait: .milliseconds(100)))
    }
}
