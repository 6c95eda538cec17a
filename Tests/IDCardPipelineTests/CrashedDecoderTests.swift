import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

/// Images that brought processes down before, and the owners that died of them.
@Suite("What dead processes leave behind", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct CrashedDecoderTests {
    private static let text = "front;\(Holder.first)"

    /// Lets so many owners die while they decode the photo.
    private static func crash(_ times: Int, over store: InMemoryStore) async throws {
        for _ in 0..<times {
            let dying = InMemoryStore(sharing: store)
            _ = try await dying.beginPreparing(ContentDigest(of: Data(Self.text.utf8)))
            dying.die()
            _ = try await store.reclaimLeases(now: Timestamp(millisecondsSinceEpoch: 0))
        }
    }

    private final class Calls: Sendable {
        private let stored = Mutex<[String]>([])
        var all: [String] { self.stored.withLock { $0 } }
        func add(_ call: String) { self.stored.withLock { $0.append(call) } }
    }

    private static func harness(
        _ calls: Calls,
        isolated: @escaping @Sendable (Data) -> ImagePreparation.Outcome
    ) throws -> PipelineHarness {
        try PipelineHarness(
            .memory,
            onPrepare: { _ in calls.add("here") },
            prepareIsolated: { source in
                calls.add("child")
                return isolated(source)
            }
        )
    }

    @Test("Twice is chance: the image is decoded here, and what was counted is forgotten")
    func twice() async throws {
        let calls = Calls()
        let harness = try Self.harness(calls) { _ in .unavailable(.decoderCrashed, message: "") }
        let store = try #require(harness.store as? InMemoryStore)
        try await Self.crash(2, over: store)
        #expect(try await harness.run([try harness.photo("1.jpg", Self.text)]) == .complete)
        #expect(calls.all == ["here"])
        let after = try await store.beginPreparing(ContentDigest(of: Data(Self.text.utf8)))
        #expect(after.crashes == 0)
    }

    @Test("After three crashes the image is decoded in a child, and goes its way if that lives")
    func childLives() async throws {
        let calls = Calls()
        let harness = try Self.harness(calls) { source in
            .prepared(PreparedImage(jpeg: source, width: 1, height: 1, digest: ContentDigest(of: source)))
        }
        try await Self.crash(3, over: try #require(harness.store as? InMemoryStore))
        let items = [try harness.photo("1.jpg", Self.text), try harness.photo("2.jpg", Self.text, number: "B-2")]
        #expect(try await harness.run(items) == .complete)
        #expect(calls.all == ["child", "child"], "the count must outlive a child that lived")
        #expect(try await harness.states() == ["delivered", "delivered"])
    }

    @Test("If the child dies too, the card is rejected, and not tried again")
    func childDies() async throws {
        let calls = Calls()
        let harness = try Self.harness(calls) { _ in .refused(.decoderCrashed, message: "supply another photo") }
        try await Self.crash(3, over: try #require(harness.store as? InMemoryStore))
        let items = [try harness.photo("1.jpg", Self.text)]
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["rejected:decoder_crashed"])
        #expect(try await harness.run(items) == .complete)
        #expect(calls.all == ["child"])
    }

    @Test("Work of an owner that dies while we run is taken over within seconds")
    func takeOver() async throws {
        let time = ManualTime()
        let barrier = Barrier()
        let backend = LedgerBackend { attempt, _ in
            if attempt.values["BUSINESSNO"] == "B-2" { try await barrier.pass() }
            return .none
        }
        let harness = try PipelineHarness(.memory, backend: backend, time: time.port) {
            $0.takeBackInterval = .seconds(2)
        }
        let store = try #require(harness.store as? InMemoryStore)
        let stopped = Shutdown()
        _ = try await harness.engine(
            verifier: ScriptedVerifier { _ in
                stopped.request()
                throw CancellationError()
            }
        ).runBatch([try harness.photo("1.jpg", Self.text)], until: stopped)
        let other = InMemoryStore(sharing: store)
        let expiry = time.now.advanced(by: .seconds(180))
        #expect(try await other.claimPrepared(limit: 1, until: expiry, now: time.now).count == 1)
        async let ending = harness.run([
            try harness.photo("2.jpg", "front;\(Holder.second)", number: "B-2")
        ])
        await barrier.somebodyWaits()
        other.die()
        await time.somebodySleeps(for: .seconds(2))
        time.advance(by: .seconds(2))
        _ = await harness.log.first { event in
            guard case .cardChanged(let card) = event else { return false }
            return card.state == .verified && card.metadata.businessNumber.rawValue == "B-1"
        }
        barrier.open()
        #expect(try await ending == .complete)
        #expect(try await harness.states() == ["delivered", "delivered"])
    }
}
