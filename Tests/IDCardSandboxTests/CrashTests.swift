import Glibc
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// A process that is killed loses nothing that was acknowledged, and its leases are free at once.
struct CrashTests {
    let folder = SandboxFolder()

    @Test("after kill -9 in the middle of a delivery everything is there, and the delivery may have been received")
    func killed() async throws {
        let survivor = try self.folder.open()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = self.folder.path as String] in
            let options = SandboxOptions(endpoints: .embedded, vault: .sample, now: .second(0))
            let store = try SandboxStore.open(directory: path, options: options)
            _ = try await store.admit(.sample(1), now: .second(1))
            _ = try await store.beginSampleDelivery()
            _ = try await store.admit(.sample(2), now: .second(5))
            _ = try await store.claimPrepared(limit: 1, until: .second(99), now: .second(5))
            kill(getpid(), SIGKILL)
        }
        #expect(try await survivor.stateCounts() == [.delivering: 1, .prepared: 1])
        #expect(try self.folder.owners().count == 2)
        #expect(try await survivor.reclaimLeases(now: .second(6)) == 2)
        #expect(try self.folder.owners().count == 1)
        let deliveries = try await survivor.claimDeliveries(limit: 9, until: .second(99), now: .second(6))
        #expect(deliveries.map(\.mayHaveBeenReceived) == [true])
        let cards = try await survivor.claimPrepared(limit: 9, until: .second(99), now: .second(6))
        #expect(cards.map(\.id) == [CardID(rawValue: "card-2")])
    }

    @Test("a living process keeps its leases from others")
    func living() async throws {
        let store = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        _ = try await store.claimPrepared(limit: 1, until: .second(99), now: .second(1))
        await #expect(processExitsWith: .exitCode(42)) { [path = self.folder.path as String] in
            let options = SandboxOptions(endpoints: .embedded, vault: .sample, now: .second(0))
            let other = try SandboxStore.open(directory: path, options: options)
            let reclaimed = try await other.reclaimLeases(now: .second(2))
            let claimed = try await other.claimPrepared(limit: 1, until: .second(99), now: .second(2))
            exit(reclaimed == 0 && claimed.isEmpty ? 42 : 1)
        }
    }
}
