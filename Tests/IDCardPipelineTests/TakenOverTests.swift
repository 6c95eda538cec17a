import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

@Suite("What is taken away from a running engine, or fails beside it", .timeLimit(.minutes(2)))
struct TakenOverTests {
    /// Where a scripted remote side finds the store, which is made after it.
    private final class StorePlace: Sendable {
        private let store = Mutex<(any CardStore)?>(nil)

        func set(_ store: any CardStore) { self.store.withLock { $0 = store } }

        /// Gives back what is leased, as a take-back of lapsed leases does.
        func release() async throws {
            try await #require(self.store.withLock { $0 }).releaseLeases()
        }
    }

    @Test("A card taken back while it is verified does not end the run", arguments: StoreKind.allCases)
    func takenFromVerifier(kind: StoreKind) async throws {
        let place = StorePlace()
        let verifier = ScriptedVerifier { call in
            if call.earlierCalls == 0 { try await place.release() }
            return .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(kind, verifier: verifier)
        place.set(harness.store)
        #expect(try await harness.run([try harness.photo("1.jpg", "front;\(Holder.first);1")]) == .complete)
        #expect(try await harness.states() == ["delivered"])
    }

    @Test(
        "A delivery taken back while it is sent does not end the run, and is accepted once",
        arguments: StoreKind.allCases
    )
    func takenFromBackend(kind: StoreKind) async throws {
        let place = StorePlace()
        let backend = LedgerBackend { _, number in
            if number == 1 { try await place.release() }
            return .none
        }
        let harness = try PipelineHarness(kind, backend: backend)
        place.set(harness.store)
        #expect(try await harness.run([try harness.photo("1.jpg", "front;\(Holder.first);1")]) == .complete)
        #expect(try await harness.states() == ["delivered"])
        #expect(backend.accepted.count == 1)
    }

    @Test("A look for expired cards that fails does not end the run")
    func failingRetention() async throws {
        var retention = Retention()
        retention.limit(.rejected, to: .milliseconds(1))
        let harness = try PipelineHarness(.memory) { $0.retention = retention }
        let store = try #require(harness.store as? InMemoryStore)
        store.failRetention(with: StoreError(.corrupt, "sample"))
        let gate = ScriptedVerifier { call in
            // Held up until the look has failed.
            while !store.hasLookedForExpired { await Task.yield() }
            return .read(PhotoText(call.image).reading)
        }
        let items = [try harness.photo("1.jpg", "front;\(Holder.first);1")]
        #expect(try await harness.engine(verifier: gate).runBatch(items) == .complete)
        #expect(try await harness.states() == ["delivered"])
    }
}
