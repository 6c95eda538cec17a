import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

@Suite("What is taken away from a running engine, or fails beside it", .timeLimit(.minutes(Sanitizer.minutes(2))))
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

    @Test(
        "A late answer to an attempt is not taken for the answer to the next one of the same process",
        arguments: StoreKind.allCases
    )
    func lateAnswer(kind: StoreKind) async throws {
        let log = Mutex<EventLog?>(nil)
        let attempts = Mutex(0)
        let late = RemoteFailure(.rejected, code: "1001", message: "sample")
        let backend = LedgerBackend { _, number in
            // Before it is counted: nothing of the first attempt can have changed yet.
            let changes = log.withLock { $0?.changes } ?? 0
            attempts.withLock { $0 = number }
            switch number {
            case 1:
                while attempts.withLock({ $0 }) < 2 { try await Self.yield() }
                return .instead(.failed(late))
            case 2:
                // Until the late answer is dealt with: taken, or found to be late.
                while (log.withLock { $0?.changes } ?? 0) == changes { try await Self.yield() }
                return .none
            default: return .none
            }
        }
        let harness = try PipelineHarness(kind, backend: backend)
        log.withLock { $0 = harness.log }
        let items = [try harness.photo("1.jpg", "front;\(Holder.first);1")]
        async let first = harness.engine().runBatch(items)
        while attempts.withLock({ $0 }) < 1 { try await Self.yield() }
        // Taken back, and claimed anew by the same owner.
        try await harness.store.releaseLeases()
        #expect(try await harness.engine().runBatch([]) == .complete)
        #expect(try await first == .complete)
        #expect(try await harness.states() == ["delivered"])
        #expect(backend.accepted.count == 1)
    }

    /// Lets others run; throws once the test's time is up.
    private static func yield() async throws {
        try Task.checkCancellation()
        await Task.yield()
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

extension EventLog {
    /// How often a change of a card was told.
    fileprivate var changes: Int {
        self.events.count { if case .cardChanged = $0 { true } else { false } }
    }
}
