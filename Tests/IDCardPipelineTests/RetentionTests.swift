import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

@Suite("Erasing beside a run", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct RetentionTests {
    private let time = ManualTime()

    private func harness(_ kind: StoreKind = .memory, keeping duration: Duration?) throws -> PipelineHarness {
        try PipelineHarness(kind, time: self.time.port) { settings in
            settings.patience = .seconds(1_000_000)
            settings.retention.limit(.rejected, to: duration)
        }
    }

    private func memory(_ harness: PipelineHarness) throws -> InMemoryStore {
        try #require(harness.store as? InMemoryStore)
    }

    @Test("A run with nothing else to do erases what has expired before it ends", arguments: StoreKind.allCases)
    func nothingElse(kind: StoreKind) async throws {
        let harness = try self.harness(kind, keeping: .seconds(10))
        #expect(try await harness.run([try harness.photo("1.jpg", "broken")]) == .complete)
        #expect(try await harness.states() == ["rejected:image_corrupt"])
        self.time.advance(by: .seconds(10))
        #expect(try await harness.run([]) == .complete)
        let card = try #require(try await harness.cards().first)
        #expect(card.state == .erased)
        let line = try #require(try await harness.store.accessLog(of: card.id, after: 0, limit: 9).last)
        #expect(line.origin == AccessOrigin(actor: "engine:retention", purpose: "retention"))
    }

    @Test("Nothing is erased before intake has ended")
    func afterIntake() async throws {
        let harness = try self.harness(keeping: .seconds(10))
        let store = try self.memory(harness)
        store.setSpace(.low(message: "little room"))
        let items = [try harness.photo("1.jpg", "front;\(Holder.first)")]
        let start = self.time.now
        let ending = try await self.time.ticking(by: .seconds(1)) {
            async let ending = harness.run(items)
            // Only a clock that has moved shows that intake waits.
            while self.time.now < start.advanced(by: .seconds(5)) { await Task.yield() }
            #expect(!store.hasLookedForExpired)
            #expect(store.finishedErasures == 0)
            store.setSpace(.ample)
            return try await ending
        }
        #expect(ending == .complete)
        #expect(store.hasLookedForExpired)
    }

    @Test("Erasures that were cut short are finished by a run that keeps everything, too")
    func withoutRetention() async throws {
        let harness = try self.harness(keeping: nil)
        #expect(try await harness.run([]) == .complete)
        let store = try self.memory(harness)
        #expect(store.finishedErasures == 1)
        #expect(!store.hasLookedForExpired)
    }

    @Test("A look that fails keeps no erasure from being finished, and is made again after an hour")
    func again() async throws {
        let harness = try self.harness(keeping: .seconds(10))
        let store = try self.memory(harness)
        #expect(try await harness.run([try harness.photo("1.jpg", "broken")]) == .complete)
        store.failRetention(with: StoreError(.corrupt, "sample"))
        let barrier = Barrier()
        let verifier = ScriptedVerifier { call in
            try await barrier.pass()
            return .read(PhotoText(call.image).reading)
        }
        let items = [try harness.photo("2.jpg", "front;\(Holder.first)", number: "B-2")]
        let before = store.finishedErasures
        async let ending = harness.engine(verifier: verifier).runBatch(items)
        await barrier.somebodyWaits()
        await self.time.somebodySleeps(for: .seconds(3600))
        #expect(store.finishedErasures == before + 1)
        #expect(try await harness.states() == ["rejected:image_corrupt", "prepared"])
        store.failRetention(with: nil)
        self.time.advance(by: .seconds(3600))
        while store.finishedErasures == before + 1 { await Task.yield() }
        #expect(try await harness.states() == ["erased:retention", "prepared"])
        barrier.open()
        #expect(try await ending == .complete)
        #expect(try await harness.states() == ["erased:retention", "delivered"])
    }

    @Test("A look erases all that has expired, and looks once for what they left")
    func onceForAll() async throws {
        let harness = try self.harness(keeping: .seconds(10))
        let items = try (1...120).map { try harness.photo("\($0).jpg", "broken \($0)") }
        #expect(try await harness.run(items) == .complete)
        let store = try self.memory(harness)
        let before = store.finishedErasures
        self.time.advance(by: .seconds(10))
        #expect(try await harness.run([]) == .complete)
        #expect(try await harness.states() == [String](repeating: "erased:retention", count: 120))
        #expect(store.finishedErasures == before + 1)
    }

    @Test("A clock that jumps a year ahead erases nothing, and a day later everything", arguments: StoreKind.allCases)
    func jump(kind: StoreKind) async throws {
        let harness = try self.harness(kind, keeping: .seconds(10))
        #expect(try await harness.run([try harness.photo("1.jpg", "broken")]) == .complete)
        self.time.advance(by: .seconds(365 * 86_400))
        #expect(try await harness.run([]) == .complete)
        #expect(try await harness.states() == ["rejected:image_corrupt"])
        self.time.advance(by: .seconds(86_400))
        #expect(try await harness.run([]) == .complete)
        #expect(try await harness.states() == ["erased:retention"])
    }

    @Test("With daily runs only, each of which erases for ten seconds, all that has expired is gone after a few")
    func dailyRuns() async throws {
        let manual = self.time.port
        let busy = Mutex(false)
        // Fifty cards take three seconds and more, as in a sandbox of many gigabytes.
        let time = PipelineTime(
            now: {
                if busy.withLock({ $0 }) { self.time.advance(by: .seconds(3)) }
                return manual.now()
            },
            sleep: manual.sleep
        )
        let harness = try PipelineHarness(.sqlite, time: time) { $0.retention.limit(.rejected, to: .seconds(3600)) }
        #expect(
            try await harness.run(try (1...250).map { try harness.photo("\($0).jpg", "broken \($0)") }) == .complete
        )
        busy.withLock { $0 = true }
        var left: [Int] = []
        repeat {
            self.time.advance(by: .seconds(86_400))
            #expect(try await harness.run([]) == .complete)
            left.append(try await harness.store.stateCounts()[.rejected] ?? 0)
        } while left.last != 0 && left.count < 10
        #expect(left.first.map { (1...200).contains($0) } == true, "\(left)")
        #expect(left.count <= 5 && left.last == 0, "fifty a run at least: \(left)")
        self.time.advance(by: .seconds(86_400))
        #expect(try await harness.run([]) == .complete)
        #expect(
            try await harness.store.continueErasures(within: .zero).open == 0,
            "the search has ended with the run after"
        )
    }
}
