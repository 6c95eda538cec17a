import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

/// An engine that is asked to end while something is under way, and the next one over the same store.
@Suite("A shutdown in order", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct ShutdownTests {
    /// Runs a batch, asks for its end when `isReached` returns, and does what the test wants while it drains.
    private static func interrupt(
        _ harness: PipelineHarness,
        _ items: [IntakeItem],
        when isReached: () async -> Void,
        then whileDraining: () async -> Void = {}
    ) async throws -> BatchEnding {
        let shutdown = Shutdown()
        async let ending = harness.engine().runBatch(items, until: shutdown)
        await isReached()
        shutdown.request()
        await whileDraining()
        return try await ending
    }

    private static func requestsUnderWay(_ harness: PipelineHarness) async -> Int? {
        let event = await harness.log.first { if case .shuttingDown = $0 { true } else { false } }
        guard case .shuttingDown(let requests, _) = event else { return nil }
        return requests
    }

    @Test("A verification under way is concluded, nothing else begins, and the next engine goes on")
    func verification() async throws {
        let barrier = Barrier()
        let verifier = ScriptedVerifier { call in
            try await barrier.pass()
            return .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(.memory, verifier: verifier, time: ManualTime().port) {
            $0.verifyConcurrency = 1
        }
        let items = [
            try harness.photo("1.jpg", "front;\(Holder.first)"), try harness.photo("2.jpg", "back;x"),
        ]
        let ending = try await Self.interrupt(harness, items, when: { await barrier.somebodyWaits() }) {
            #expect(await Self.requestsUnderWay(harness) == 1)
            barrier.open()
        }
        #expect(ending == .interrupted)
        #expect(harness.verifier.images.count == 1)
        #expect(harness.backend.attempts.isEmpty)
        let cards = try await harness.cards()
        #expect(cards.allSatisfy { $0.attempts == 0 })
        #expect(cards.filter { $0.state == .verified }.count == 1)
        #expect(try await harness.run(items) == .complete)
        #expect(harness.verifier.images.count == 2, "a verification that was paid for was made again")
        #expect(try await harness.states() == ["delivered", "delivered"])
    }

    @Test("A verification that does not answer in time is cut off at no attempt")
    func lateVerification() async throws {
        let time = ManualTime()
        let barrier = Barrier()
        let verifier = ScriptedVerifier { call in
            if call.earlierCalls == 0 { try await barrier.pass() }
            return .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(.memory, verifier: verifier, time: time.port) {
            $0.verifyMaximumAttempts = 1
        }
        let items = [try harness.photo("1.jpg", "front;\(Holder.first)")]
        let ending = try await Self.interrupt(harness, items, when: { await barrier.somebodyWaits() }) {
            await time.somebodySleeps(for: .seconds(20))
            time.advance(by: .seconds(20))
        }
        #expect(ending == .interrupted)
        #expect(try await harness.states() == ["prepared"])
        #expect(try await harness.cards().map(\.attempts) == [0])
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["delivered"])
    }

    @Test("A delivery cut off at the deadline is sent again, the same bytes under the same key, once")
    func lateDelivery() async throws {
        let time = ManualTime()
        let (sent, tell) = AsyncStream.makeStream(of: Void.self)
        let backend = LedgerBackend { _, number in
            guard number == 1 else { return .none }
            tell.yield()
            return .afterThatSilence
        }
        let harness = try PipelineHarness(.memory, backend: backend, time: time.port) { $0.deliverMaximumAttempts = 1 }
        let items = [try harness.photo("1.jpg", "front;\(Holder.first)")]
        let ending = try await Self.interrupt(harness, items, when: { for await _ in sent { break } }) {
            // The verification before it may not have been counted out yet.
            #expect([1, 2].contains(await Self.requestsUnderWay(harness)))
            await time.somebodySleeps(for: .seconds(20))
            time.advance(by: .seconds(20))
        }
        #expect(ending == .interrupted)
        #expect(try await harness.states() == ["delivering"])
        #expect(try await harness.cards().map(\.attempts) == [0])
        backend.renewToken("token-2")
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["delivered"])
        #expect(backend.accepted.count == 1)
        #expect(backend.attempts.count == 2)
        #expect(Set(backend.attempts).count == 1)
    }

    @Test("Intake ends with the input it is at; the others leave no trace")
    func intake() async throws {
        let shutdown = Shutdown()
        let harness = try PipelineHarness(
            .memory,
            time: ManualTime().port,
            settings: { $0.prepareConcurrency = 1 },
            onPrepare: { _ in shutdown.request() }
        )
        let items = [
            try harness.photo("1.jpg", "front;\(Holder.first)"), try harness.photo("2.jpg", "back;x"),
        ]
        #expect(try await harness.engine().runBatch(items, until: shutdown) == .interrupted)
        #expect(try await harness.states() == ["prepared"])
        #expect(Array(harness.results().keys) == [0])
        #expect(harness.verifier.images.isEmpty)
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["delivered", "delivered"])
    }

    @Test("A shutdown that was requested before the engine began lets nothing begin", arguments: StoreKind.allCases)
    func early(kind: StoreKind) async throws {
        let shutdown = Shutdown()
        shutdown.request()
        let harness = try PipelineHarness(kind)
        let items = [try harness.photo("1.jpg", "front;\(Holder.first)")]
        #expect(try await harness.engine().runBatch(items, until: shutdown) == .interrupted)
        #expect(try await harness.cards().isEmpty)
        #expect(harness.results().isEmpty)
        #expect(harness.log.events.contains(.shuttingDown(requests: 0, timeout: .seconds(20))))
    }

    @Test("An engine that has ended before is complete, and a later request does nothing")
    func late() async throws {
        let shutdown = Shutdown()
        let harness = try PipelineHarness(.memory)
        let items = [try harness.photo("1.jpg", "front;\(Holder.first)")]
        #expect(try await harness.engine().runBatch(items, until: shutdown) == .complete)
        shutdown.request()
        #expect(!harness.log.events.contains { if case .shuttingDown = $0 { true } else { false } })
    }
}
