import Foundation
import GRDB
import Glibc
import IDCardCore
import IDCardPipeline
import Synchronization
import Testing

@testable import IDCardSandbox

/// The key of a sandbox is replaced while others work, and whatever is cut short goes on.
struct KeyRotationTests {
    /// A place from which keys are read, as a key file is.
    private final class Source: Sendable {
        private let state: Mutex<(ring: KeyRing, loads: Int)>

        init(_ ring: KeyRing) { self.state = Mutex((ring, 0)) }

        var loads: Int { self.state.withLock(\.loads) }

        func set(_ keys: VaultKey...) throws {
            let ring = try #require(KeyRing(keys))
            self.state.withLock { $0.ring = ring }
        }

        var access: VaultAccess {
            .encrypted(
                self.state.withLock(\.ring),
                reload: {
                    self.state.withLock { state in
                        state.loads += 1
                        return state.ring
                    }
                }
            )
        }
    }

    private static let old = VaultKey.sample(1)
    private static let new = VaultKey.sample(2)

    private let folder = SandboxFolder()
    private let source = Source(KeyRing(Self.old))

    private func open() throws -> SandboxStore { try self.folder.open(vault: self.source.access) }

    private func fill(_ store: SandboxStore, _ numbers: ClosedRange<Int>) async throws {
        for number in numbers { _ = try await store.admit(.sample(number), now: .second(1)) }
    }

    /// The data keys by the key that wraps them.
    private func wrapped() throws -> [String: Int] {
        try self.folder.raw { db in
            let rows = try Row.fetchAll(db, sql: "SELECT key_id, count(*) AS n FROM data_key GROUP BY key_id")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0["key_id"], $0["n"]) })
        }
    }

    private func rewrapAll(_ store: SandboxStore, limit: Int = 2) async throws -> KeyRewrap {
        var all = KeyRewrap(last: nil, rewrapped: 0, damaged: 0)
        while let batch = try? await store.rewrapDataKeys(after: all.last, limit: limit), let last = batch.last {
            all = KeyRewrap(
                last: last,
                rewrapped: all.rewrapped + batch.rewrapped,
                damaged: all.damaged + batch.damaged
            )
        }
        return all
    }

    @Test(
        "after a rotation everything opens under the new key alone, duplicates are known, and nothing was sealed anew"
    )
    func whole() async throws {
        let store = try self.open()
        try await self.fill(store, 1...5)
        let before = try self.folder.raw { try Data.fetchAll($0, sql: "SELECT jpeg FROM image ORDER BY card") }
        try self.source.set(Self.new, Self.old)
        try await store.reloadKeyRing()
        #expect(try await store.adoptFirstKey())
        #expect(try await !store.adoptFirstKey())
        #expect(try await self.rewrapAll(store).rewrapped == 5)
        #expect(try await store.keyUse() == KeyUse(current: Self.new.id, dataKeys: [Self.new.id: 5]))
        try await store.close()
        try self.source.set(Self.new)
        let again = try self.open()
        for number in 1...5 {
            let image = try await again.preparedImage(of: CardID(rawValue: "card-\(number)"))
            #expect(image.jpeg.first == UInt8(number))
            guard case .duplicate = try await again.admit(.sample(number), now: .second(9)) else {
                Issue.record("card \(number) is not known any more")
                continue
            }
        }
        #expect(try self.folder.raw { try Data.fetchAll($0, sql: "SELECT jpeg FROM image ORDER BY card") } == before)
        try await again.close()
        try self.source.set(Self.old)
        let error = #expect(throws: StoreError.self) { try self.open() }
        #expect(error?.code == .wrongKey)
    }

    @Test("another process writes under the new key at once, and reads the keys again only once for that")
    func otherProcess() async throws {
        let other = try self.open()
        try await self.fill(other, 1...2)
        let rotating = try self.open()
        try self.source.set(Self.new, Self.old)
        try await rotating.reloadKeyRing()
        #expect(try await rotating.adoptFirstKey(isForced: true))
        let before = self.source.loads
        try await self.fill(other, 3...6)
        #expect(self.source.loads == before + 1)
        #expect(try self.wrapped() == [Self.old.id: 2, Self.new.id: 4])
        #expect(try await self.rewrapAll(rotating).rewrapped == 2)
        // It never met the new key in reading: what it knew is under the new key now.
        #expect(try await other.preparedImage(of: CardID(rawValue: "card-1")).jpeg.first == 1)
        #expect(try self.wrapped() == [Self.new.id: 6])
    }

    @Test("a process that reads only what was wrapped anew reads the keys again, and works on when the old one is gone")
    func otherReader() async throws {
        let rotating = try self.open()
        try await self.fill(rotating, 1...2)
        let reader = try self.folder.open(nil, readOnly: true, vault: self.source.access)
        try self.source.set(Self.new, Self.old)
        try await rotating.reloadKeyRing()
        _ = try await rotating.adoptFirstKey()
        #expect(try await self.rewrapAll(rotating).rewrapped == 2)
        try self.source.set(Self.new)
        let before = self.source.loads
        for number in 1...2 { _ = try await reader.preparedImage(of: CardID(rawValue: "card-\(number)")) }
        #expect(self.source.loads == before + 1)
    }

    @Test("a process that cannot get the new key writes nothing")
    func withoutNewKey() async throws {
        let stale = try self.folder.open(vault: .encrypted(KeyRing(Self.old), reload: { KeyRing(Self.old) }))
        try await self.fill(stale, 1...1)
        let rotating = try self.open()
        try self.source.set(Self.new, Self.old)
        try await rotating.reloadKeyRing()
        _ = try await rotating.adoptFirstKey(isForced: true)
        let error = await #expect(throws: StoreError.self) { try await stale.admit(.sample(2), now: .second(2)) }
        #expect(error?.code == .wrongKey)
        #expect(error?.message.contains(Self.new.id) == true)
        #expect(try await rotating.stateCounts() == [.prepared: 1])
        #expect(try self.wrapped() == [Self.old.id: 1])
    }

    @Test("a living process without the new key keeps it from being used, until it has read it or has ended")
    func announced() async throws {
        let other = try self.open()
        let leaving = try self.folder.open(vault: .encrypted(KeyRing(Self.old), reload: { KeyRing(Self.old) }))
        let rotating = try self.open()
        try self.source.set(Self.new, Self.old)
        try await rotating.reloadKeyRing()
        try await rotating.announceFirstKey()
        #expect(try await rotating.announcedKeyID() == Self.new.id)
        #expect(try await rotating.check().findings.map(\.code) == [.keyAnnounced])
        #expect(try await rotating.processesLackingFirstKey().count == 2)
        // As a process does every few seconds, and finds the announcement on the way.
        _ = try await other.reclaimLeases(now: .second(1))
        _ = try await leaving.reclaimLeases(now: .second(1))
        #expect(try await rotating.processesLackingFirstKey().count == 1)
        let error = await #expect(throws: StoreError.self) { try await rotating.adoptFirstKey() }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("process \(getpid())") == true)
        #expect(try await rotating.keyUse().current == Self.old.id)
        #expect(try await leaving.hasCurrentKey())
        try leaving.die()
        #expect(try await rotating.adoptFirstKey())
        #expect(try await rotating.announcedKeyID() == nil)
        #expect(try await other.readiness().findings == [])
    }

    @Test("a process that is left without the key by force says so, and works again once it can read the key")
    func leftBehind() async throws {
        let keys = Mutex(KeyRing(Self.old))
        let stale = try self.folder.open(vault: .encrypted(KeyRing(Self.old), reload: { keys.withLock(\.self) }))
        let rotating = try self.open()
        try self.source.set(Self.new, Self.old)
        try await rotating.reloadKeyRing()
        #expect(try await rotating.adoptFirstKey(isForced: true))
        #expect(try await stale.readiness().findings.contains { $0.contains(Self.new.id) })
        #expect(try await !stale.hasCurrentKey())
        let both = try #require(KeyRing([Self.new, Self.old]))
        keys.withLock { $0 = both }
        try await stale.rereadKeys()
        #expect(try await stale.hasCurrentKey())
        #expect(try await stale.readiness().findings == [])
        try await self.fill(stale, 1...1)
        #expect(try self.wrapped() == [Self.new.id: 1])
    }

    @Test("a source that fails is told as such")
    func failingSource() async throws {
        struct Failure: Error {}
        let stale = try self.folder.open(vault: .encrypted(KeyRing(Self.old), reload: { throw Failure() }))
        let rotating = try self.open()
        try self.source.set(Self.new, Self.old)
        try await rotating.reloadKeyRing()
        _ = try await rotating.adoptFirstKey(isForced: true)
        let error = await #expect(throws: StoreError.self) { try await stale.admit(.sample(2), now: .second(2)) }
        #expect(error?.code == .wrongKey)
        #expect(error?.cause is Failure)
    }

    @Test("a rotation cut short between two batches goes on in another process", arguments: 0...3)
    func cutShort(batches: Int) async throws {
        let store = try self.open()
        try await self.fill(store, 1...5)
        try self.source.set(Self.new, Self.old)
        try await store.reloadKeyRing()
        _ = try await store.adoptFirstKey()
        var last: String?
        for _ in 0..<batches { last = try await store.rewrapDataKeys(after: last, limit: 2).last }
        try store.die()
        let again = try self.open()
        let remaining = max(0, 5 - 2 * batches)
        #expect(try await again.keyUse().remaining == remaining)
        #expect(try await !again.adoptFirstKey())
        #expect(try await self.rewrapAll(again).rewrapped == remaining)
        #expect(try await again.keyUse().remaining == 0)
        for number in 1...5 { _ = try await again.preparedImage(of: CardID(rawValue: "card-\(number)")) }
    }

    @Test("a damaged key is counted and left, and keeps no other from being wrapped anew")
    func damaged() async throws {
        let store = try self.open()
        try await self.fill(store, 1...5)
        try self.folder.raw { try $0.execute(sql: "UPDATE data_key SET bytes = x'01' WHERE owner = 'card-2'") }
        try self.source.set(Self.new, Self.old)
        try await store.reloadKeyRing()
        _ = try await store.adoptFirstKey()
        let all = try await self.rewrapAll(store)
        #expect(all.rewrapped == 4)
        #expect(all.damaged == 1)
        #expect(try await store.keyUse().remaining == 1)
    }

    @Test("cards taken in while the key is replaced are all there, and all under the new key")
    func underLoad() async throws {
        let other = try self.open()
        let rotating = try self.open()
        try await self.fill(other, 1...20)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.fill(other, 21...60) }
            group.addTask {
                try self.source.set(Self.new, Self.old)
                try await rotating.reloadKeyRing()
                // By force: the other store looks for an announced key only with its leases.
                _ = try await rotating.adoptFirstKey(isForced: true)
                _ = try await self.rewrapAll(rotating)
            }
            try await group.waitForAll()
        }
        #expect(try self.wrapped() == [Self.new.id: 60])
        for number in 1...60 { _ = try await other.preparedImage(of: CardID(rawValue: "card-\(number)")) }
    }

    @Test("a sandbox in the clear has no keys to replace")
    func unencrypted() async throws {
        let store = try SandboxFolder(vault: .unencrypted).open()
        let error = await #expect(throws: StoreError.self) { try await store.adoptFirstKey() }
        #expect(error?.code == .wrongSandbox)
        await #expect(throws: StoreError.self) { try await store.keyUse() }
        await #expect(throws: StoreError.self) { try await store.rewrapDataKeys(after: nil, limit: 1) }
    }
}
