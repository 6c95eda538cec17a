import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// What the engine sees when the disk or the database refuses.
struct FailureTests {
    let folder = SandboxFolder()

    @Test("a full disk is told as such, changes nothing, and work goes on once there is room")
    func full() async throws {
        let store = try self.folder.open()
        let pages = try await store.writer.withConnection { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
            return pages
        }
        let error = await #expect(throws: StoreError.self) { try await store.admit(.sample(1), now: .second(1)) }
        #expect(error?.code == .diskFull)
        #expect(error?.message.contains("full") == true)
        #expect(try await store.stateCounts() == [:])
        try await store.writer.withConnection { try $0.execute(sql: "PRAGMA max_page_count = \(pages + 100)") }
        _ = try await store.admit(.sample(1), now: .second(1))
        #expect(try await store.stateCounts() == [.prepared: 1])
    }

    @Test("a sandbox locked by another for too long is told as such")
    func busy() async throws {
        let store = try self.folder.open()
        try await store.writer.withConnection { try $0.execute(sql: "PRAGMA busy_timeout = 20") }
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: self.folder.database, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let error = await #expect(throws: StoreError.self) { try await store.admit(.sample(1), now: .second(1)) }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("another process") == true)
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        _ = try await store.admit(.sample(1), now: .second(1))
    }

    @Test("after a failed fsync nothing more is written until the sandbox is opened again")
    func failedSync() async throws {
        let store = try self.folder.open()
        let failure = await #expect(throws: StoreError.self) {
            try await store.writer.write { _ in throw DatabaseError(resultCode: .SQLITE_IOERR_FSYNC) }
        }
        #expect(failure?.code == .unavailable)
        let next = await #expect(throws: StoreError.self) { try await store.admit(.sample(1), now: .second(1)) }
        #expect(next?.message == failure?.message)
        let again = try self.folder.open()
        _ = try await again.admit(.sample(1), now: .second(1))
    }

    @Test(
        "the codes of SQLite are translated once",
        arguments: [
            (ResultCode.SQLITE_FULL, StoreError.Code.diskFull), (.SQLITE_IOERR_WRITE, .unavailable),
            (.SQLITE_BUSY_SNAPSHOT, .unavailable), (.SQLITE_READONLY, .unavailable), (.SQLITE_CANTOPEN, .unavailable),
            (.SQLITE_NOMEM, .unavailable), (.SQLITE_TOOBIG, .unavailable), (.SQLITE_NOTADB, .corrupt),
            (.SQLITE_CORRUPT_VTAB, .corrupt), (.SQLITE_CONSTRAINT_CHECK, .corrupt),
        ]
    )
    func codes(sqlite: ResultCode, code: StoreError.Code) {
        let error = StoreError.translating(DatabaseError(resultCode: sqlite)) as? StoreError
        #expect(error?.code == code)
        #expect(error?.message.isEmpty == false)
    }

    @Test("an image whose bytes changed on the disk is not handed out")
    func damagedImage() async throws {
        let store = try self.folder.open(storage: SandboxFolder.storageWithoutCache)
        let admission = try Admission.sample(1)
        _ = try await store.admit(admission, now: .second(1))
        try self.folder.raw { try $0.execute(sql: "UPDATE image SET jpeg = x'FFD8FFD9'") }
        let error = await #expect(throws: StoreError.self) { try await store.preparedImage(of: admission.id) }
        #expect(error?.code == .corrupt)
    }

    @Test("errors of the store quote no value that was to be stored")
    func noValues() async throws {
        let store = try self.folder.open()
        let error = await #expect(throws: StoreError.self) {
            try await store.writer.write { db in
                try db.execute(
                    sql: "INSERT INTO event (card, at, kind) VALUES (?, 1, ?)",
                    arguments: ["nobody", "样本甲"]
                )
            }
        }
        #expect(error.map { !"\($0)".contains("样本甲") } == true)
    }
}
