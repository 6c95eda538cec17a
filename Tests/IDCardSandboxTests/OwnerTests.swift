import Foundation
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// Owners of leases: who lives, who is dead, and what is left of them.
struct OwnerTests {
    let folder = SandboxFolder()

    @Test("an owner that leaves without leases leaves no trace")
    func leavesCleanly() async throws {
        let store = try self.folder.open()
        #expect(try self.folder.owners().count == 1)
        try await store.close()
        #expect(try self.folder.owners() == [])
    }

    @Test("what a dead owner leaves is cleared away with its leases")
    func buried() async throws {
        let store = try self.folder.open()
        let dying = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        _ = try await dying.claimPrepared(limit: 1, until: .second(99), now: .second(1))
        try await dying.close()
        #expect(try self.folder.owners().count == 2)
        #expect(try await store.reclaimLeases(now: .second(2)) == 1)
        #expect(try self.folder.owners() == [try store.owner])
    }

    @Test("an owner whose file is gone is dead")
    func fileGone() async throws {
        let store = try self.folder.open()
        let other = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        _ = try await other.claimPrepared(limit: 1, until: .second(99), now: .second(1))
        try FileManager.default.removeItem(atPath: self.folder.path + "/owners/" + other.owner)
        #expect(try await store.reclaimLeases(now: .second(2)) == 1)
    }

    @Test("a lock holds between two descriptions of one process and ends with its holder")
    func locks() throws {
        _ = try self.folder.open()
        let path = self.folder.path + "/owners/test"
        let first = try #require(try FileLock.take(path: path, creating: true))
        #expect(try FileLock.take(path: path, creating: false) == nil)
        first.release()
        #expect(try FileLock.take(path: path, creating: false) != nil)
        let error = #expect(throws: StoreError.self) { try FileLock.take(path: path + "x", creating: false) }
        #expect(error?.code == .notFound)
    }
}
