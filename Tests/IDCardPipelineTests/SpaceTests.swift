import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

/// An engine whose store runs out of room, and gets some again.
@Suite("A disk with little room", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct SpaceTests {
    private static let low = StoreSpace.low(message: "the disk is nearly full")
    private static let critical = StoreSpace.critical(message: "the disk is full")

    private let time: ManualTime
    private let start: Timestamp

    init() {
        self.time = ManualTime()
        self.start = self.time.now
    }

    private func memory(_ harness: PipelineHarness) throws -> InMemoryStore {
        try #require(harness.store as? InMemoryStore)
    }

    @Test("Intake waits while there is little room, says so once, and goes on by itself")
    func low() async throws {
        let harness = try PipelineHarness(.memory, time: self.time.port) { $0.patience = .seconds(1_000_000) }
        let store = try self.memory(harness)
        store.setSpace(Self.low)
        let items = [try harness.photo("1.jpg", "front;\(Holder.first)"), try harness.photo("2.jpg", "back;x")]
        let ending = try await self.time.ticking(by: .seconds(1)) {
            async let ending = harness.run(items)
            // Only a clock that has moved shows that it was waited for.
            while self.time.now < self.start.advanced(by: .seconds(3)) { await Task.yield() }
            #expect(try await harness.cards().isEmpty)
            store.setSpace(.ample)
            return try await ending
        }
        #expect(ending == .complete)
        #expect(try await harness.states() == ["delivered", "delivered"])
        let changes = harness.log.events.filter { if case .spaceChanged = $0 { true } else { false } }
        #expect(changes == [.spaceChanged(Self.low), .spaceChanged(.ample)])
    }

    @Test("What finds no room within the patience is refused and stored nowhere; cards that are there reach their end")
    func patience() async throws {
        let harness = try PipelineHarness(.memory, time: self.time.port) { $0.patience = .seconds(3) }
        let first = try harness.photo("1.jpg", "front;\(Holder.first)")
        let shutdown = Shutdown()
        _ = try await harness.engine(
            verifier: ScriptedVerifier { _ in
                shutdown.request()
                throw CancellationError()
            }
        ).runBatch([first], until: shutdown)
        #expect(try await harness.states() == ["prepared"])
        try self.memory(harness).setSpace(Self.low)
        let others = [try harness.photo("2.jpg", "back;x"), try harness.photo("3.jpg", "back;y", number: "B-2")]
        #expect(try await self.time.ticking(by: .seconds(1)) { try await harness.run([first] + others) } == .complete)
        #expect(try await harness.states() == ["delivered"])
        for index in [1, 2] {
            guard case .refused(.diskSpaceLow, let message) = harness.results()[index] else {
                Issue.record("input \(index) ended as \(String(describing: harness.results()[index]))")
                continue
            }
            #expect(message.contains("nearly full"))
        }
        try self.memory(harness).setSpace(.ample)
        #expect(try await harness.run(others) == .complete)
        #expect(try await harness.cards().count == 3)
    }

    @Test("With no room to speak of nothing is verified any more, and deliveries go on")
    func critical() async throws {
        let (sent, tell) = AsyncStream.makeStream(of: Void.self)
        let backend = LedgerBackend { _, number in
            guard number == 1 else { return .none }
            tell.yield()
            return .silence
        }
        let harness = try PipelineHarness(.memory, backend: backend, time: self.time.port) {
            $0.patience = .seconds(2)
            $0.shutdownTimeout = .zero
        }
        let shutdown = Shutdown()
        async let first = harness.engine().runBatch(
            [try harness.photo("1.jpg", "front;\(Holder.first)")],
            until: shutdown
        )
        for await _ in sent { break }
        shutdown.request()
        #expect(try await first == .interrupted)
        let stopped = Shutdown()
        _ = try await harness.engine(
            verifier: ScriptedVerifier { _ in
                stopped.request()
                throw CancellationError()
            }
        ).runBatch([try harness.photo("2.jpg", "front;\(Holder.second)", number: "B-2")], until: stopped)
        #expect(try await harness.states().contains("prepared"))
        let verified = harness.verifier.images.count
        try self.memory(harness).setSpace(Self.critical)
        #expect(try await self.time.ticking(by: .seconds(1)) { try await harness.run([]) } == .patienceExhausted)
        #expect(try await harness.states() == ["delivered", "prepared"])
        #expect(harness.verifier.images.count == verified)
        try self.memory(harness).setSpace(.ample)
        #expect(try await harness.run([]) == .complete)
        #expect(try await harness.states() == ["delivered", "delivered"])
    }

    @Test("An admission that meets a full disk waits like any other, and is not the end of the run")
    func full() async throws {
        let harness = try PipelineHarness(.memory, time: self.time.port) { $0.patience = .seconds(1_000_000) }
        let store = try self.memory(harness)
        store.setAdmissionError(StoreError(.diskFull, "the disk of the sandbox is full"))
        let items = [try harness.photo("1.jpg", "front;\(Holder.first)")]
        let ending = try await self.time.ticking(by: .seconds(1)) {
            async let ending = harness.run(items)
            _ = await harness.log.first { $0 == .spaceChanged(.low(message: "the disk of the sandbox is full")) }
            store.setAdmissionError(nil)
            return try await ending
        }
        #expect(ending == .complete)
        #expect(try await harness.states() == ["delivered"])
    }

    @Test("An admission that fails otherwise ends the run with that error, though other inputs wait for room")
    func failing() async throws {
        let harness = try PipelineHarness(.memory, time: self.time.port) { $0.patience = .seconds(1_000_000) }
        let store = try self.memory(harness)
        store.setSpace(Self.low)
        let items = try (1...6).map { try harness.photo("\($0).jpg", "back;\($0)") }
        await #expect {
            try await self.time.ticking(by: .seconds(1)) {
                async let ending = harness.run(items)
                while self.time.now < self.start.advanced(by: .seconds(2)) { await Task.yield() }
                store.setAdmissionError(StoreError(.corrupt, "sample"))
                store.setSpace(.ample)
                return try await ending
            }
        } throws: {
            ($0 as? StoreError)?.code == .corrupt
        }
        #expect(try await harness.cards().isEmpty)
    }

    @Test("A run that is cancelled does not go on waiting for room")
    func cancelled() async throws {
        let harness = try PipelineHarness(.memory, time: self.time.port) { $0.patience = .seconds(1_000_000) }
        try self.memory(harness).setSpace(Self.low)
        let items = try (1...3).map { try harness.photo("\($0).jpg", "back;\($0)") }
        // The clock stands still: whoever goes on waiting waits for ever.
        await #expect(throws: CancellationError.self) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await harness.run(items) }
                await self.time.somebodySleeps(for: .seconds(1))
                group.cancelAll()
                try await group.next()
            }
        }
        #expect(harness.results().isEmpty)
    }

    @Test("A shutdown ends the wait for room at once")
    func shutdown() async throws {
        let harness = try PipelineHarness(.memory, time: self.time.port)
        try self.memory(harness).setSpace(Self.low)
        let shutdown = Shutdown()
        async let ending = harness.engine().runBatch([try harness.photo("1.jpg", "back;x")], until: shutdown)
        await self.time.somebodySleeps(for: .seconds(1))
        shutdown.request()
        #expect(try await ending == .interrupted)
        #expect(harness.results().isEmpty)
    }
}
