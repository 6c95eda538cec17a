import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// Changes that wait are committed together, and each keeps its own fate.
struct GroupCommitTests {
    let folder = SandboxFolder()

    /// Runs changes as one group and returns what became of each, and how many commits that took.
    private func gather<Value: Sendable>(
        _ changes: [@Sendable () async throws -> Value],
        at store: SandboxStore
    ) async throws -> (results: [Result<Value, any Error>], commits: Int) {
        let writer = try store.writer
        let before = writer.statistics.commits
        let results = await writer.gathering(changes)
        return (results, writer.statistics.commits - before)
    }

    private func note(_ kind: String, at store: SandboxStore) -> @Sendable () async throws -> Void {
        {
            try await store.writer.write { db in
                try db.execute(sql: "INSERT INTO event (card, at, kind) VALUES ('card-0', 1, ?)", arguments: [kind])
            }
        }
    }

    private func kinds(at store: SandboxStore) async throws -> [String] {
        try await store.read { try String.fetchAll($0, sql: "SELECT kind FROM event ORDER BY id") }
    }

    @Test("a hundred changes that wait together cost one commit, and come in their order")
    func together() async throws {
        let store = try self.folder.open()
        _ = try await store.admit(.sample(0), now: .second(1))
        let names = (0..<100).map { "change \($0)" }
        let (results, commits) = try await self.gather(names.map { self.note($0, at: store) }, at: store)
        for result in results { try result.get() }
        #expect(commits == 1)
        #expect(try await self.kinds(at: store) == ["admitted"] + names)
    }

    @Test("no group is larger than its bounds", arguments: [(0, 300, 2), (9 << 20, 4, 4), (8 << 20, 4, 2)])
    func bounds(byteCount: Int, count: Int, commits: Int) async throws {
        let store = try self.folder.open()
        let change: @Sendable () async throws -> Void = {
            try await store.writer.write(byteCount: byteCount) { db in
                try db.execute(sql: "UPDATE sandbox SET next_intake_order = next_intake_order + 1")
            }
        }
        let gathered = try await self.gather(Array(repeating: change, count: count), at: store)
        #expect(gathered.commits == commits)
        #expect(try await store.reserveIntakeOrders(1) == Int64(count + 1))
    }

    @Test("a change that fails is rolled back alone, and its caller alone is told")
    func isolation() async throws {
        let store = try self.folder.open()
        _ = try await store.admit(.sample(0), now: .second(1))
        let conflict: @Sendable () async throws -> Void = {
            try await store.writer.write { db in
                try db.execute(sql: "INSERT INTO event (card, at, kind) VALUES ('card-0', 1, 'undone')")
                throw StoreError(.conflict, "conflict")
            }
        }
        let violation: @Sendable () async throws -> Void = {
            try await store.writer.write { db in
                try db.execute(sql: "INSERT INTO event (card, at, kind) VALUES ('card-0', 1, 'undone')")
                try db.execute(sql: "UPDATE card SET attempts = -1")
            }
        }
        let changes = [self.note("a", at: store), conflict, self.note("b", at: store), violation]
        let (results, commits) = try await self.gather(changes + [self.note("c", at: store)], at: store)
        #expect(commits == 1)
        let codes = results.map { result in
            if case .failure(let error as StoreError) = result { error.code } else { StoreError.Code?.none }
        }
        #expect(codes == [nil, .conflict, nil, .corrupt, nil])
        #expect(try await self.kinds(at: store) == ["admitted", "a", "b", "c"])
    }

    @Test("a failed fsync fails the whole group, and nothing of it is there")
    func failedSync() async throws {
        let store = try self.folder.open()
        _ = try await store.admit(.sample(0), now: .second(1))
        let failing: @Sendable () async throws -> Void = {
            try await store.writer.write { _ in throw DatabaseError(resultCode: .SQLITE_IOERR_FSYNC) }
        }
        let changes = [self.note("a", at: store), failing, self.note("b", at: store)]
        let (results, commits) = try await self.gather(changes, at: store)
        #expect(commits == 0)
        for result in results {
            #expect(throws: StoreError.self) { try result.get() }
        }
        #expect(try await self.kinds(at: store) == ["admitted"])
        #expect(try await store.readiness().failure != nil)
        await #expect(throws: StoreError.self) { try await self.note("c", at: store)() }
        await #expect(throws: StoreError.self) { try await store.close() }
        let again = try self.folder.open()
        try await self.note("d", at: again)()
        #expect(try await self.kinds(at: again) == ["admitted", "d"])
    }

    @Test("a change that finds nothing to do costs no commit")
    func nothing() async throws {
        let store = try self.folder.open()
        let before = try store.writer.statistics
        for _ in 0..<5 { _ = try await store.claimPrepared(limit: 9, until: .second(9), now: .second(1)) }
        #expect(try await store.reclaimLeases(now: .second(1)) == 0)
        #expect(try store.writer.statistics == before)
    }

    @Test("on a full disk small changes find room, and a large one fails alone")
    func full() async throws {
        var storage = SandboxFolder.storage
        storage.ballast = 1 << 20
        let store = try self.folder.open(storage: storage)
        _ = try await store.admit(.sample(0), now: .second(1))
        let pages = try await store.writer.withConnection { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
            return pages
        }
        let large: @Sendable () async throws -> Void = {
            _ = try await store.admit(.sample(1, byteCount: 200_000), now: .second(1))
        }
        let changes = [self.note("a", at: store), large, self.note("b", at: store)]
        let (results, _) = try await self.gather(changes, at: store)
        let codes = results.map { result in
            if case .failure(let error as StoreError) = result { error.code } else { StoreError.Code?.none }
        }
        #expect(codes == [nil, .diskFull, nil])
        #expect(try await self.kinds(at: store) == ["admitted", "a", "b"])
        #expect(try await store.stateCounts() == [.prepared: 1])
        try await store.writer.withConnection { try $0.execute(sql: "PRAGMA max_page_count = \(pages + 100)") }
        try await large()
        #expect(try await store.stateCounts() == [.prepared: 2])
        #expect(await store.space() == .ample)
    }
}
