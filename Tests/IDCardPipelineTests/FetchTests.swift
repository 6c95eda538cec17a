import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

/// An engine whose images are fetched by a scripted fetcher.
@Suite("Images by URL", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct FetchTests {
    private static let image = Data("front;\(Holder.first)".utf8)
    private static let version = FetchedVersion(validator: "\"v1\"", byteCount: Self.image.count)
    private static let origin = AccessOrigin(actor: "root:test", purpose: "test")

    /// What was asked of the fetcher.
    private final class Calls: Sendable {
        private let stored = Mutex<[FetchJob]>([])
        var all: [FetchJob] { self.stored.withLock { $0 } }

        /// Takes a call; returns how many there were before.
        func add(_ job: FetchJob) -> Int {
            self.stored.withLock { stored in
                stored.append(job)
                return stored.count - 1
            }
        }
    }

    /// Fetches by a script that is told which call it is.
    private static func fetcher(
        _ calls: Calls,
        _ script:
            @escaping @Sendable (_ number: Int, _ job: FetchJob, _ keep: @escaping ImageFetcher.Keep) async throws ->
            ImageFetcher.Outcome
    ) -> ImageFetcher {
        ImageFetcher { job, keep, _ in try await script(calls.add(job), job, keep) }
    }

    private static let whole = ImageFetcher.Outcome.complete(ContentDigest(of: Self.image))

    @Test(
        "A fetched card goes all the way, with what its address says read by the fetcher",
        arguments: StoreKind.allCases
    )
    func fetched(kind: StoreKind) async throws {
        let calls = Calls()
        let harness = try PipelineHarness(
            kind,
            fetcher: ImageFetcher { job, keep, read in
                _ = calls.add(job)
                let half = Self.image.count / 2
                try await keep(Data(Self.image.dropFirst(half)), half, Self.version)
                try await keep(Data(Self.image.prefix(half)), 0, Self.version)
                var kept = Data()
                while kept.count < Self.image.count { kept += try await read(kept.count) }
                return .complete(ContentDigest(of: kept))
            }
        )
        try await harness.serve { engine in
            let outcome = try await engine.receive(try harness.address("https://images.example/1"))
            guard case .admitted(let card) = outcome else {
                Issue.record("not admitted: \(outcome)")
                return
            }
            #expect(card.state == .fetching)
            await harness.reached(.delivered)
        }
        #expect(calls.all.map { $0.address.url.reveal() } == ["https://images.example/1"])
        #expect(calls.all.map(\.pieces) == [[]])
        #expect(try await harness.states() == ["delivered"])
        #expect(harness.verifier.images == [Self.image])
    }

    @Test("Two addresses of the same image are one card", arguments: StoreKind.allCases)
    func twice(kind: StoreKind) async throws {
        let harness = try PipelineHarness(
            kind,
            settings: { $0.fetchConcurrency = 1 },
            fetcher: Self.fetcher(Calls()) { _, _, keep in
                try await keep(Self.image, 0, Self.version)
                return Self.whole
            }
        )
        for number in 1...2 {
            _ = try await harness.engine().receive(try harness.address("https://images.example/\(number)"))
        }
        try await harness.serve { _ in _ = await harness.reached(.delivered) }
        #expect(try await harness.states() == ["delivered", "superseded:duplicate"])
        #expect(harness.backend.accepted.count == 1)
    }

    @Test("What was kept before the end of a service is not fetched again", arguments: StoreKind.allCases)
    func resumed(kind: StoreKind) async throws {
        let calls = Calls()
        let barrier = Barrier()
        let harness = try PipelineHarness(
            kind,
            settings: { $0.shutdownTimeout = .zero },
            fetcher: Self.fetcher(calls) { number, job, keep in
                if number == 0 {
                    try await keep(Data(Self.image.prefix(5)), 0, Self.version)
                    try await barrier.pass()
                }
                try await keep(Data(Self.image.dropFirst(5)), 5, Self.version)
                return Self.whole
            }
        )
        try await harness.serve { engine in
            _ = try await engine.receive(try harness.address("https://images.example/1"))
            await barrier.somebodyWaits()
        }
        #expect(try await harness.states() == ["fetching"])
        #expect(try await harness.cards().map(\.attempts) == [0], "interrupted is not failed")
        try await harness.serve { _ in _ = await harness.reached(.delivered) }
        #expect(calls.all.map(\.pieces) == [[], [0..<5]])
        #expect(calls.all.last?.version == Self.version)
        #expect(harness.verifier.images == [Self.image])
    }

    @Test(
        "A host that is throttled, not reached or fails is asked again; the pieces stay",
        arguments: StoreKind.allCases
    )
    func failures(kind: StoreKind) async throws {
        let calls = Calls()
        let failures: [(FailureClass, String)] = [
            (.notSent, "connect_refused"), (.transient, "timeout"), (.unknown, "reset"),
            (.stop, "http_401"),
        ]
        let harness = try PipelineHarness(
            kind,
            fetcher: Self.fetcher(calls) { number, job, keep in
                if number == 0 { try await keep(Data(Self.image.prefix(5)), 0, Self.version) }
                guard number >= failures.count else {
                    let (failureClass, code) = failures[number]
                    return .failed(RemoteFailure(failureClass, code: code, message: "x"))
                }
                try await keep(Data(Self.image.dropFirst(5)), 5, Self.version)
                return Self.whole
            }
        )
        try await harness.serve { engine in
            _ = try await engine.receive(try harness.address("https://images.example/1"))
            await harness.reached(.delivered)
        }
        #expect(calls.all.map(\.card.attempts) == [0, 1, 2, 3, 4])
        #expect(calls.all.dropFirst().allSatisfy { $0.pieces == [0..<5] })
        let card = try #require(try await harness.cards().first)
        let events = try await harness.store.details(of: card.id)?.events ?? []
        let codes = events.filter { $0.kind == "attempt" }.compactMap(\.code)
        #expect(codes.prefix(5) == ["connect_refused", "timeout", "reset", "http_401", "ok"])
    }

    @Test("A host that is throttled waits as long as it asks for, at no attempt")
    func throttled() async throws {
        let time = ManualTime()
        let calls = Calls()
        let harness = try PipelineHarness(
            .memory,
            time: time.port,
            fetcher: Self.fetcher(calls) { number, _, keep in
                guard number > 0 else {
                    let wait = Duration.seconds(77)
                    return .failed(RemoteFailure(.throttled, code: "http_429", message: "x", retryAfter: wait))
                }
                try await keep(Self.image, 0, Self.version)
                return Self.whole
            }
        )
        try await harness.serve { engine in
            _ = try await engine.receive(try harness.address("https://images.example/1"))
            await time.somebodySleeps(for: .seconds(77))
            #expect(calls.all.count == 1)
            time.advance(by: .seconds(77))
            await harness.reached(.delivered)
        }
        #expect(calls.all.map(\.card.attempts) == [0, 0])
    }

    @Test("Attempts that are used up fail the card, and a retry goes on where it stood", arguments: StoreKind.allCases)
    func exhausted(kind: StoreKind) async throws {
        let calls = Calls()
        let harness = try PipelineHarness(
            kind,
            settings: { $0.fetchMaximumAttempts = 3 },
            fetcher: Self.fetcher(calls) { number, _, keep in
                if number < 3 {
                    if number == 0 { try await keep(Data(Self.image.prefix(5)), 0, Self.version) }
                    return .failed(RemoteFailure(.transient, code: "timeout", message: "no answer"))
                }
                try await keep(Data(Self.image.dropFirst(5)), 5, Self.version)
                return Self.whole
            }
        )
        try await harness.serve { engine in
            _ = try await engine.receive(try harness.address("https://images.example/1"))
            let card = try #require(await harness.reached(.failed))
            #expect(card.reason == .attemptsExhausted)
            #expect(card.message?.contains("timeout") == true)
            #expect(card.attempts == 3)
            let retried = try await harness.store.retry(card.id, by: Self.origin, now: Timestamp(Date()))
            #expect(retried.state == .fetching)
        }
        try await harness.serve { _ in _ = await harness.reached(.delivered) }
        #expect(calls.all.last?.pieces == [0..<5])
        #expect(calls.all.count == 4)
    }

    @Test(
        "What is no image, by its bytes or by the host's last word, is rejected at once",
        arguments: [
            ImageFetcher.Outcome.unusable(ReasonCode(rawValue: "address_forbidden"), message: "x"),
            .failed(RemoteFailure(.rejected, code: "address_forbidden", message: "x", httpStatus: 404)),
            .failed(RemoteFailure(.rejected, code: "address_forbidden", message: "x", httpStatus: 410)),
        ]
    )
    func refused(outcome: ImageFetcher.Outcome) async throws {
        let calls = Calls()
        let harness = try PipelineHarness(.memory, fetcher: Self.fetcher(calls) { _, _, _ in outcome })
        try await harness.serve { engine in
            _ = try await engine.receive(try harness.address("https://images.example/1"))
            await harness.reached(.rejected)
        }
        #expect(try await harness.states() == ["rejected:address_forbidden"])
        #expect(calls.all.count == 1)
    }

    @Test(
        "What our rules or the host refuse fails at once; mended, a retry fetches it",
        arguments: StoreKind.allCases,
        [
            ImageFetcher.Outcome.refused(ReasonCode(rawValue: "host_forbidden"), message: "x"),
            .failed(RemoteFailure(.rejected, code: "host_forbidden", message: "x", httpStatus: 403)),
        ]
    )
    func mended(kind: StoreKind, outcome: ImageFetcher.Outcome) async throws {
        let calls = Calls()
        let harness = try PipelineHarness(
            kind,
            fetcher: Self.fetcher(calls) { number, _, keep in
                guard number > 0 else { return outcome }
                try await keep(Self.image, 0, Self.version)
                return Self.whole
            }
        )
        try await harness.serve { engine in
            _ = try await engine.receive(try harness.address("https://images.example/1"))
            let card = try #require(await harness.reached(.failed))
            #expect(card.reason?.rawValue == "host_forbidden")
            let retried = try await harness.store.retry(card.id, by: Self.origin, now: Timestamp(Date()))
            #expect(retried.state == .fetching)
        }
        try await harness.serve { _ in _ = await harness.reached(.delivered) }
        #expect(calls.all.map { $0.address.url.reveal() } == Array(repeating: "https://images.example/1", count: 2))
    }

    @Test(
        "A new photo at the URL of a rejected one is taken in, also after a run that met the old bytes",
        arguments: StoreKind.allCases
    )
    func nights(kind: StoreKind) async throws {
        let broken = Data("broken".utf8)
        let harness = try PipelineHarness(
            kind,
            fetcher: Self.fetcher(Calls()) { number, _, keep in
                let image = number < 2 ? broken : Self.image
                try await keep(image, 0, FetchedVersion(validator: "\(number)", byteCount: image.count))
                return .complete(ContentDigest(of: image))
            }
        )
        for _ in 1...3 { try await harness.run([try Self.input("https://images.example/1")]) }
        #expect(try await harness.states() == ["rejected:image_corrupt", "superseded:duplicate", "delivered"])
    }

    @Test(
        "An image that is said to be whole and is not costs an attempt, until they are used up",
        arguments: StoreKind.allCases
    )
    func gap(kind: StoreKind) async throws {
        let calls = Calls()
        let harness = try PipelineHarness(
            kind,
            settings: { $0.fetchMaximumAttempts = 2 },
            fetcher: Self.fetcher(calls) { _, _, keep in
                try await keep(Data(Self.image.dropFirst(5)), 5, Self.version)
                return Self.whole
            }
        )
        try await harness.serve { engine in
            _ = try await engine.receive(try harness.address("https://images.example/1"))
            await harness.reached(.failed)
        }
        #expect(try await harness.states() == ["failed:attempts_exhausted"])
        #expect(calls.all.map(\.pieces) == [[], [5..<Self.image.count]])
    }

    @Test("A card erased while it is fetched drops out, and the others go on", arguments: StoreKind.allCases)
    func erased(kind: StoreKind) async throws {
        let (erasing, erase) = AsyncStream.makeStream(of: CardID.self)
        let barrier = Barrier()
        let harness = try PipelineHarness(
            kind,
            fetcher: Self.fetcher(Calls()) { number, job, keep in
                if number == 0 {
                    erase.yield(job.card.id)
                    try await barrier.pass()
                }
                try await keep(Self.image, 0, Self.version)
                return Self.whole
            }
        )
        try await harness.serve { engine in
            _ = try await engine.receive(try harness.address("https://images.example/1"))
            for await card in erasing {
                _ = try await harness.store.erase([card], reason: .requested, by: Self.origin, now: Timestamp(Date()))
                break
            }
            barrier.open()
            _ = try await engine.receive(try harness.address("https://images.example/2"))
            await harness.reached(.delivered)
        }
        #expect(try await harness.states() == ["erased:requested", "delivered"])
    }

    /// An input by URL.
    private static func input(_ url: String, side: CardSide? = nil) throws -> IntakeItem {
        let number = try #require(BusinessNumber("B-1"))
        let metadata = CardMetadata(businessNumber: number, side: side)
        return IntakeItem(address: ImageAddress(url), disposition: .take(metadata))
    }

    @Test(
        "A batch fetches what its inputs name by URL, the front before the back, and once however often it is run",
        arguments: StoreKind.allCases
    )
    func batch(kind: StoreKind) async throws {
        let calls = Calls()
        let back = Data("back;\(Holder.first)".utf8)
        let harness = try PipelineHarness(
            kind,
            fetcher: Self.fetcher(calls) { _, job, keep in
                let image = job.address.url.reveal().hasSuffix("front") ? Self.image : back
                try await keep(image, 0, FetchedVersion(validator: "1", byteCount: image.count))
                return .complete(ContentDigest(of: image))
            }
        )
        let items = [
            try Self.input("https://images.example/back", side: .back),
            try Self.input("https://images.example/front", side: .front),
        ]
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["delivered", "delivered"])
        #expect(harness.backend.accepted.map(\.image) == [Self.image, back])
        #expect(try await harness.run(items) == .complete)
        let duplicates = harness.results().values.filter { if case .duplicate = $0 { true } else { false } }
        #expect(duplicates.count == 2)
        #expect(calls.all.count == 2)
        #expect(harness.backend.accepted.count == 2)
    }

    @Test("A URL that may not be fetched from is refused as an input, and so is every one where nothing is fetched")
    func refusedInputs() async throws {
        let reason = ReasonCode(rawValue: "fetch_host_refused")
        let refusing = ImageFetcher(
            refusal: { _ in ImageFetcher.Refusal(reason, message: "not this host") },
            fetch: { _, _, _ in Self.whole }
        )
        for (fetcher, expected) in [(refusing, reason), (nil, ReasonCode.fetchUnavailable)] {
            let harness = try PipelineHarness(.memory, fetcher: fetcher)
            try await harness.run([try Self.input("https://images.example/1")])
            guard case .refused(let code, let message) = harness.results()[0] else {
                Issue.record("not refused: \(harness.results())")
                continue
            }
            #expect(code == expected)
            #expect(!message.contains("images.example"))
            #expect(try await harness.states() == [])
        }
    }

    @Test("Without a fetcher such cards wait, and a batch beside them ends", arguments: StoreKind.allCases)
    func withoutFetcher(kind: StoreKind) async throws {
        let harness = try PipelineHarness(kind)
        _ = try await harness.engine().receive(try harness.address("https://images.example/1", number: "B-2"))
        let items = [try harness.photo("1.jpg", "front;\(Holder.second)")]
        #expect(try await harness.run(items) == .complete)
        #expect(try await harness.states() == ["fetching", "delivered"])
    }
}
