import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

/// Several hosts, some of which are in trouble.
@Suite("Hosts that images come from", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct FetchHostTests {
    private static let image = Data("front;\(Holder.first)".utf8)

    /// The URLs that were asked for.
    private final class Asked: Sendable {
        private let stored = Mutex<[String]>([])
        var all: [String] { self.stored.withLock { $0 } }
        func add(_ job: FetchJob) { self.stored.withLock { $0.append(job.address.url.reveal()) } }
    }

    /// Fetches the image from every host but `dead.example`, of which a function tells.
    private static func fetcher(
        _ asked: Asked,
        dead: @escaping @Sendable () async throws -> ImageFetcher.Outcome
    ) -> ImageFetcher {
        ImageFetcher { job, keep, _ in
            asked.add(job)
            guard !job.address.url.reveal().contains("dead.example") else { return try await dead() }
            try await keep(Self.image, 0, FetchedVersion(validator: "1", byteCount: Self.image.count))
            return .complete(ContentDigest(of: Self.image))
        }
    }

    /// Says nothing until it is given up.
    private static func silence() async throws -> ImageFetcher.Outcome {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in stream {}
        continuation.finish()
        throw CancellationError()
    }

    private static func throttled() -> ImageFetcher.Outcome {
        .failed(RemoteFailure(.throttled, code: "fetch_throttled", message: "x", httpStatus: 429))
    }

    @Test("A silent host holds up no other, however many of its images wait", arguments: StoreKind.allCases)
    func silent(kind: StoreKind) async throws {
        let asked = Asked()
        let harness = try PipelineHarness(
            kind,
            settings: { $0.shutdownTimeout = .zero },
            fetcher: Self.fetcher(asked, dead: Self.silence)
        )
        for number in 1...40 {
            let dead = try harness.address("https://dead.example/\(number)", number: "B-2")
            _ = try await harness.engine().receive(dead)
        }
        _ = try await harness.engine().receive(try harness.address("https://images.example/1"))
        try await harness.serve { _ in _ = await harness.reached(.delivered) }
        #expect(
            Set(asked.all) == ["https://dead.example/1", "https://dead.example/2", "https://images.example/1"]
        )
        let cards = try await harness.cards()
        #expect(cards.map(\.state) == Array(repeating: .fetching, count: 40) + [.delivered])
        #expect(cards.allSatisfy { $0.attempts == 0 })
    }

    @Test("More than can wait for a silent host is put off at no attempt, so that what lies behind is reached")
    func beyondTheRoom() async throws {
        let asked = Asked()
        let harness = try PipelineHarness(
            .memory,
            settings: {
                $0.shutdownTimeout = .zero
                ($0.fetchConcurrency, $0.fetchHostConcurrency) = (2, 1)
            },
            fetcher: Self.fetcher(asked, dead: Self.silence)
        )
        for number in 1...600 {
            let dead = try harness.address("https://dead.example/\(number)", number: "B-2")
            _ = try await harness.engine().receive(dead)
        }
        _ = try await harness.engine().receive(try harness.address("https://images.example/1"))
        try await harness.serve { _ in _ = await harness.reached(.delivered) }
        #expect(Set(asked.all) == ["https://dead.example/1", "https://images.example/1"])
        let putOff = try await harness.cards().filter { $0.nextAttemptAt != nil }
        // One is under way, and 512 find room.
        #expect(putOff.count == 87)
        #expect(putOff.allSatisfy { $0.attempts == 0 })
    }

    @Test("A host that goes on asking for patience is asked ever less often, with whichever card")
    func growing() async throws {
        let time = ManualTime()
        let asked = Asked()
        let harness = try PipelineHarness(
            .memory,
            time: time.port,
            settings: { $0.fetchHostConcurrency = 1 },
            fetcher: Self.fetcher(asked) {
                guard asked.all.count > 5 else { return Self.throttled() }
                throw CancellationError()
            }
        )
        try await harness.serve { engine in
            for number in 1...3 {
                _ = try await engine.receive(try harness.address("https://dead.example/\(number)"))
            }
            for (round, seconds) in [1, 2, 4, 8, 16].enumerated() {
                await time.somebodySleeps(for: .seconds(seconds))
                #expect(asked.all.count == round + 1)
                time.advance(by: .seconds(seconds))
            }
        }
        #expect(try await harness.cards().allSatisfy { $0.attempts == 0 && $0.state == .fetching })
    }

    @Test("Patience has an end by the age of the card, and the last code is told", arguments: StoreKind.allCases)
    func tooOld(kind: StoreKind) async throws {
        let time = ManualTime()
        let asked = Asked()
        let harness = try PipelineHarness(
            kind,
            time: time.port,
            settings: { $0.fetchMaximumAge = .seconds(10) },
            fetcher: Self.fetcher(asked) { Self.throttled() }
        )
        try await harness.serve { engine in
            _ = try await engine.receive(try harness.address("https://dead.example/1"))
            for seconds in [1, 2, 4, 3] {
                await time.somebodySleeps(for: .seconds(seconds))
                time.advance(by: .seconds(seconds))
            }
            let card = try #require(await harness.reached(.failed))
            #expect(card.reason == .attemptsExhausted)
            #expect(card.message?.contains("fetch_throttled") == true)
            #expect(card.attempts == 0)
        }
        #expect(asked.all.count == 4)
    }

    @Test("A card erased while it waits for its host is not asked for")
    func erasedWaiting() async throws {
        let asked = Asked()
        let barrier = Barrier()
        let harness = try PipelineHarness(
            .memory,
            settings: { $0.fetchHostConcurrency = 1 },
            fetcher: Self.fetcher(asked) {
                try await barrier.pass()
                return .refused(ReasonCode(rawValue: "fetch_type_refused"), message: "x")
            }
        )
        var cards: [CardID] = []
        for number in 1...2 {
            let outcome = try await harness.engine().receive(try harness.address("https://dead.example/\(number)"))
            if case .admitted(let card) = outcome { cards.append(card.id) }
        }
        let waiting = try #require(cards.last)
        try await harness.serve { _ in
            await barrier.somebodyWaits()
            let origin = AccessOrigin(actor: "root:test", purpose: "test")
            _ = try await harness.store.erase([waiting], reason: .requested, by: origin, now: Timestamp(Date()))
            barrier.open()
            await harness.reached(.erased)
        }
        #expect(asked.all == ["https://dead.example/1"])
        #expect(try await harness.states() == ["failed:fetch_type_refused", "erased:requested"])
    }
}
