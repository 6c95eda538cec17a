import Foundation
import Glibc
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// What a process had under preparation when it died is known afterwards, and nothing else is.
struct BreadcrumbTests {
    let folder = SandboxFolder()

    private static let digest = ContentDigest(of: Data("source".utf8))

    private func ownerFile() throws -> String {
        let name = try #require(try self.folder.owners().first)
        return self.folder.path + "/owners/" + name
    }

    private func crashes(at store: SandboxStore) async throws -> Int {
        let preparing = try await store.beginPreparing(Self.digest)
        try await store.endPreparing(preparing, survived: false)
        return preparing.crashes
    }

    @Test("a process that is killed while it prepares an image leaves its fingerprint, never its digest")
    func killed() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = self.folder.path as String] in
            let options = SandboxOptions(endpoints: .embedded, vault: .sample, now: .second(0))
            let store = try SandboxStore.open(directory: path, options: options)
            _ = try await store.beginPreparing(Self.digest)
            let done = try await store.beginPreparing(ContentDigest(of: Data("other".utf8)))
            try await store.endPreparing(done, survived: true)
            kill(getpid(), SIGKILL)
        }
        let left = try String(contentsOfFile: self.ownerFile(), encoding: .utf8)
        #expect(left.filter { $0.isHexDigit }.count == 64)
        #expect(!left.contains(Self.digest.hexadecimal))
        let store = try self.folder.open()
        #expect(try await self.crashes(at: store) == 0)
        _ = try await store.reclaimLeases(now: .second(1))
        #expect(try await self.crashes(at: store) == 1)
        #expect(try self.folder.owners().count == 1)
    }

    @Test("a store that is closed in order has nothing under preparation, even if leases keep its file")
    func closed() async throws {
        let store = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        _ = try await store.claimPrepared(limit: 1, until: .second(99), now: .second(1))
        _ = try await store.beginPreparing(Self.digest)
        try await store.close()
        let left = try String(contentsOfFile: self.ownerFile(), encoding: .utf8)
        #expect(left.filter { !$0.isWhitespace } == "")
        let again = try self.folder.open()
        #expect(try await again.reclaimLeases(now: .second(1)) == 1)
        #expect(try await self.crashes(at: again) == 0)
    }

    @Test("slots are used again, and a file with torn or foreign lines counts what is whole")
    func torn() async throws {
        let store = try self.folder.open()
        for _ in 0..<50 { #expect(try await store.beginPreparing(Self.digest).slot < 50) }
        for slot in 0..<49 {
            let preparing = Preparing(digest: Self.digest, slot: slot, crashes: 0)
            try await store.endPreparing(preparing, survived: true)
        }
        let file = try self.ownerFile()
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int == 50 * 65)
        let whole = try String(contentsOfFile: file, encoding: .utf8)
        try store.registeredOwner.lock.write(Array("odd\n".utf8) + Array(repeating: 0x61, count: 30), at: 0)
        try store.registeredOwner.lock.write(Array((whole.suffix(65) + "00ff").utf8), at: 49 * 65)
        let other = try self.folder.open()
        try store.die()
        _ = try await other.reclaimLeases(now: .second(1))
        #expect(try await self.crashes(at: other) == 1)
    }

    @Test("to find nothing to take back beside a living owner costs no write")
    func cheap() async throws {
        let store = try self.folder.open()
        let other = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        _ = try await other.claimPrepared(limit: 1, until: .second(99), now: .second(1))
        let before = try store.writer.statistics
        for _ in 0..<10 { #expect(try await store.reclaimLeases(now: .second(2)) == 0) }
        #expect(try store.writer.statistics == before)
        try other.die()
        #expect(try await store.reclaimLeases(now: .second(2)) == 1)
        #expect(try store.writer.statistics.commits == before.commits + 1)
    }
}
