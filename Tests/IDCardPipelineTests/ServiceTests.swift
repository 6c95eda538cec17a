import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

/// An engine as a service: cards come in while it works, decoded or not.
@Suite("An engine as a service", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct ServiceTests {
    private static let front = "front;\(Holder.first)"
    private static let origin = AccessOrigin(actor: "root:test", purpose: "test")

    @Test("A received card goes all the way, and is known when it comes again", arguments: StoreKind.allCases)
    func received(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        try await harness.serve { engine in
            let outcome = try await engine.receive(try await harness.reception(Self.front))
            guard case .admitted(let card) = outcome else {
                Issue.record("not admitted: \(outcome)")
                return
            }
            #expect(card.state == .received)
            #expect(await harness.reached(.delivered)?.id == card.id)
            let again = try await engine.receive(try await harness.reception(Self.front))
            #expect(again == .duplicate(try #require(try await harness.store.card(card.id))))
        }
        #expect(try await harness.states() == ["delivered"])
        #expect(harness.verifier.images.count == 1)
        #expect(harness.backend.accepted.count == 1)
    }

    @Test("What was received before a service began is driven by the next one", arguments: StoreKind.allCases)
    func later(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        _ = try await harness.engine().receive(try await harness.reception(Self.front))
        #expect(try await harness.states() == ["received"])
        try await harness.serve { _ in _ = await harness.reached(.delivered) }
        #expect(try await harness.states() == ["delivered"])
    }

    @Test("A received image that cannot be used is rejected, and so is its repetition", arguments: StoreKind.allCases)
    func rejected(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        let reception = try await harness.reception(
            "broken",
            receipt: Receipt(scope: .webhook, name: "m", request: ContentDigest(of: Data("r".utf8)))
        )
        try await harness.serve { engine in
            _ = try await engine.receive(reception)
            let card = try #require(await harness.reached(.rejected))
            #expect(try await engine.receive(reception) == .repeated(card))
        }
        #expect(try await harness.states() == ["rejected:image_corrupt"])
    }

    @Test(
        "A preparation that the machine refuses is tried again, then fails; a retry revives it while the service runs"
    )
    func unavailable() async throws {
        let isPoor = Mutex(true)
        let tries = Mutex(0)
        let harness = try PipelineHarness(
            .sqlite,
            settings: {
                $0.prepareMaximumAttempts = 3
                // The service is told of nothing: it looks for itself.
                $0.takeBackInterval = .milliseconds(20)
            },
            onPrepare: { _ in tries.withLock { $0 += 1 } },
            prepareFirst: { _ in isPoor.withLock { $0 } ? .unavailable(.decoderCrashed, message: "no memory") : nil }
        )
        try await harness.serve { engine in
            _ = try await engine.receive(try await harness.reception(Self.front))
            let card = try #require(await harness.reached(.failed))
            #expect(card.reason == .decoderCrashed)
            #expect(card.attempts == 3)
            #expect(tries.withLock { $0 } == 3)
            isPoor.withLock { $0 = false }
            let retried = try await harness.store.retry(card.id, by: Self.origin, now: Timestamp(Date()))
            #expect(retried.state == .received)
            await harness.reached(.delivered)
        }
        #expect(try await harness.states() == ["delivered"])
        #expect(harness.backend.accepted.count == 1)
    }

    @Test("Files are taken in while it runs, and known afterwards", arguments: StoreKind.allCases)
    func files(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        let item = try harness.photo("1.jpg", Self.front)
        try await harness.serve { engine in
            guard case .admitted(let card) = try await engine.take(item) else {
                Issue.record("not admitted")
                return
            }
            #expect(card.state == .prepared)
            await harness.reached(.delivered)
            guard case .duplicate(let known, let wasRead) = try await engine.take(item) else {
                Issue.record("not known")
                return
            }
            #expect(known.id == card.id)
            #expect(!wasRead)
        }
        #expect(try await harness.states() == ["delivered"])
    }

    @Test("When it ends, verification under way is concluded, leases are handed back, and no file is taken any more")
    func ending() async throws {
        let barrier = Barrier()
        let verifier = ScriptedVerifier { call in
            try await barrier.pass()
            return .read(PhotoText(call.image).reading)
        }
        let harness = try PipelineHarness(.memory, verifier: verifier) { $0.verifyConcurrency = 1 }
        let item = try harness.photo("3.jpg", "back;x")
        let engine = harness.engine()
        let shutdown = Shutdown()
        async let service: Void = engine.runService(until: shutdown)
        for text in [Self.front, "back;2"] { _ = try await engine.receive(try await harness.reception(text)) }
        await barrier.somebodyWaits()
        shutdown.request()
        await #expect(throws: CancellationError.self) { _ = try await engine.take(item) }
        guard case .closed(.shuttingDown, _, _) = await engine.pressure() else {
            Issue.record("more may come in")
            return
        }
        barrier.open()
        try await service
        // What is left may be claimed at once by another.
        let store = try #require(harness.store as? InMemoryStore)
        let other = InMemoryStore(sharing: store)
        let now = Timestamp(Date())
        let expiry = now.advanced(by: .seconds(9))
        let rest =
            try await other.claimPrepared(limit: 9, until: expiry, now: now)
            + other.claimReceived(limit: 9, until: expiry, now: now)
        #expect(rest.count == 1)
        #expect(try await harness.cards().allSatisfy { $0.attempts == 0 })
        #expect(try await harness.states().contains("verified"))
        #expect(verifier.images.count == 1)
    }

    @Test("A card that is being prepared when the time is up is handed back without an attempt")
    func cutOff() async throws {
        let harness = try PipelineHarness(.memory)
        _ = try await harness.engine().receive(try await harness.reception(Self.front))
        let shutdown = Shutdown()
        shutdown.request()
        try await harness.engine().runService(until: shutdown)
        #expect(try await harness.states() == ["received"])
        #expect(try await harness.cards().map(\.attempts) == [0])
        try await harness.serve { _ in _ = await harness.reached(.delivered) }
    }

    @Test("With as many cards under way as allowed nothing more is to come in, until some are done")
    func queue() async throws {
        let time = ManualTime()
        let harness = try PipelineHarness(.memory, time: time.port) { $0.maximumQueueDepth = 2 }
        let engine = harness.engine()
        #expect(await engine.pressure() == .open)
        for number in ["B-1", "B-2"] {
            _ = try await engine.receive(try await harness.reception("\(Self.front);\(number)", number: number))
        }
        time.advance(by: .seconds(1))
        guard case .closed(let reason, let message, let retryAfter) = await engine.pressure() else {
            Issue.record("more may come in")
            return
        }
        #expect(reason == .queueFull)
        #expect(message.contains("sandbox.max_queue"))
        #expect(retryAfter > .zero)
        try await harness.serve(engine) { _ in
            for _ in 0..<2 { await harness.reached(.delivered) }
        }
        time.advance(by: .seconds(1))
        #expect(await harness.engine().pressure() == .open)
    }

    @Test("With as many cards waiting for a person as allowed nothing more is to come in, until one is decided on")
    func waiting() async throws {
        let time = ManualTime()
        let harness = try PipelineHarness(.memory, time: time.port) { $0.maximumWaitingDepth = 2 }
        let fronts = [
            try harness.photo("1.jpg", "front;\(Holder.first);1"),
            try harness.photo("2.jpg", "front;\(Holder.second);2"),
        ]
        #expect(await harness.engine().pressure() == .open)
        try await harness.run(fronts)
        #expect(try await harness.states() == ["held:holder_conflict", "held:holder_conflict"])
        let engine = harness.engine()
        guard case .closed(.queueFull, let message, let retryAfter) = await engine.pressure() else {
            Issue.record("more may come in")
            return
        }
        #expect(message.contains("sandbox.max_waiting") && retryAfter > .zero)
        let id = try await harness.cards()[0].id
        let origin = AccessOrigin(actor: "tester:person", purpose: "sample")
        _ = try await harness.store.resolve(id, as: .reject, by: origin, now: time.port.now())
        time.advance(by: .seconds(10))
        #expect(await engine.pressure() == .open)
    }

    @Test("With little room nothing more is to come in, and a file that comes all the same is refused at once")
    func room() async throws {
        let harness = try PipelineHarness(.memory)
        let store = try #require(harness.store as? InMemoryStore)
        store.setSpace(.low(message: "the disk is nearly full"))
        let item = try harness.photo("1.jpg", Self.front)
        try await harness.serve { engine in
            guard case .closed(.diskSpaceLow, let message, _) = await engine.pressure() else {
                Issue.record("more may come in")
                return
            }
            #expect(message == "the disk is nearly full")
            guard case .refused(.diskSpaceLow, _) = try await engine.take(item) else {
                Issue.record("taken in")
                return
            }
            store.setSpace(.ample)
            #expect(await engine.pressure() == .open)
            guard case .admitted = try await engine.take(item) else {
                Issue.record("not taken in")
                return
            }
        }
    }

    @Test("A reception that finds no room tells so, and stores nothing")
    func full() async throws {
        let harness = try PipelineHarness(.memory)
        let store = try #require(harness.store as? InMemoryStore)
        store.setAdmissionError(StoreError(.diskFull, "full"))
        let engine = harness.engine()
        let reception = try await harness.reception(Self.front)
        let error = await #expect(throws: StoreError.self) { _ = try await engine.receive(reception) }
        #expect(error?.code == .diskFull)
        #expect(try await harness.cards().isEmpty)
        store.setAdmissionError(nil)
        _ = try await engine.receive(reception)
        #expect(try await harness.states() == ["received"])
    }
}
