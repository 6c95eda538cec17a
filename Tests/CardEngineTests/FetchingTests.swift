import CardEngine
import CardModel
import CardStore
import Foundation
import Synchronization
import TestSupport
import Testing

/// Images that are named by URL, from the list to their delivery.
@Suite(.timeLimit(.minutes(5))) struct FetchingTests {
    let harness: EngineHarness
    var time: ManualTime { harness.time }

    init() async throws { self.harness = try await EngineHarness() }

    /// A list of one image, whose host the test scripts.
    private static let front: [[Photo]] = [[.at("https://h/front", "N1")]]

    /// A host that sends an image in two pieces.
    private static func sending(_ text: String) -> EngineHarness.HostAnswer {
        { request, keep in
            let bytes = Data(text.utf8)
            let version = FetchedVersion(validator: "\"1\"", byteCount: bytes.count)
            let there = request.stored.last?.upperBound ?? 0
            if there < 4 { try await keep(bytes.prefix(4), 0, version) }
            try await keep(Data(bytes.dropFirst(4)), 4, version)
            return .fetched
        }
    }

    /// A host that asks everybody to wait.
    private static func resting(for wait: Duration = .seconds(3600)) -> EngineHarness.HostAnswer {
        { _, _ in
            var failure = RemoteFailure.specimen(.throttled)
            failure.retryAfter = wait
            return .failed(failure)
        }
    }

    @Test func `images by URL are fetched, prepared and delivered in one batch, fronts before backs`() async throws {
        harness.host("https://h/back", Self.sending("N1 back"))
        harness.host("https://h/front", Self.sending("N1 front"))
        try await harness.run([[.at("https://h/back", "N1"), .at("https://h/front", "N1")]])
        #expect(harness.delivered == [["N1 front"], ["N1 back"]])
        // The same list again: both are looked at again, and are the same.
        try await harness.run([[.at("https://h/back", "N1"), .at("https://h/front", "N1")]])
        #expect(harness.state.withLock { $0.fetched.count } == 4)
        #expect(harness.delivered.count == 2)
        // One was retaken; the other is gone.
        harness.host("https://h/front", Self.sending("N1 front again"))
        harness.host("https://h/back") { _, _ in .failed(.specimen(.rejected)) }
        try await harness.run([[.at("https://h/back", "N1"), .at("https://h/front", "N1")]])
        #expect(harness.delivered == [["N1 front"], ["N1 back"], ["N1 front again"]])
        let cards = try await harness.store.listings.cards(CardFilter(), after: 0, limit: 10, for: .process)
        #expect(cards.map(\.state) == [.delivered, .delivered, .delivered])
    }

    @Test(arguments: [(4, "delivered"), (5, "failed image_memory")])
    func `preparing that fails for memory is tried five times`(failures: Int, expected: String) async throws {
        harness.host("https://h/front", Self.sending("N1 front"))
        harness.state.withLock { $0.preparingFailures = failures }
        try await time.passing { try await harness.run(Self.front, time: time.engineTime) }
        let states = try await harness.states()
        #expect(Array(states.values) == [expected])
    }

    @Test func `a host that another process is told to leave alone is left alone by its callers`() async throws {
        let secondCall = Mutex<Duration?>(nil)
        harness.host("https://h/front") { request, keep in
            guard harness.state.withLock({ $0.fetched.count }) == 1 else {
                secondCall.withLock { $0 = time.elapsed }
                return try await Self.sending("N1 front")(request, keep)
            }
            let pause = EndpointPause(
                stage: .fetch,
                host: "h",
                after: RemoteFailure.specimen(.throttled),
                since: time.now,
                wait: Wait(from: time.now, until: time.now.advanced(by: .seconds(20)))
            )
            try await harness.store.endpoints.pause(pause)
            // The call ends after a heartbeat, which reads what others wrote down.
            await time.reached(.seconds(5))
            return .failed(.specimen(.transient))
        }
        try await time.passing { try await harness.run(Self.front, time: time.engineTime) }
        #expect(try #require(secondCall.withLock { $0 }) >= .seconds(20))
        #expect(harness.delivered == [["N1 front"]])
    }

    @Test func `the wait that a host asked for keeps its only image no longer than a person lets it`() async throws {
        harness.host("https://h/front") { request, keep in
            let isFirst = harness.state.withLock { $0.fetched.count } == 1
            return try await (isFirst ? Self.resting(for: .seconds(86_400)) : Self.sending("N1 front"))(request, keep)
        }
        try await time.passing { try await harness.run(Self.front, time: time.engineTime) }
        #expect(harness.delivered.isEmpty)
        let origin = AccessOrigin(actor: "test")
        #expect(try await harness.store.endpoints.resume("h", stage: .fetch, by: origin, now: time.now).count == 1)
        try await time.passing { try await harness.run([], time: time.engineTime) }
        #expect(harness.delivered == [["N1 front"]])
    }

    @Test func `a host that fails for an hour fails no image`() async throws {
        harness.host("https://h/front") { request, keep in
            guard time.elapsed > .seconds(3600) else { return .failed(.specimen(.transient)) }
            return try await Self.sending("N1 front")(request, keep)
        }
        let settings = harness.settings { settings in
            settings.patience = .seconds(7200)
            settings.retry = RetryPolicy(base: .seconds(60), cap: .seconds(300))
        }
        try await time.passing { try await harness.run(Self.front, settings, time: time.engineTime) }
        #expect(harness.delivered == [["N1 front"]])
        #expect(harness.state.withLock { $0.fetched.count } > 8)
    }

    @Test func `a host that asks to wait holds up none of another`() async throws {
        let slowAt = Mutex<[Duration]>([])
        harness.host("https://slow/front") { request, keep in
            slowAt.withLock { $0.append(time.elapsed) }
            let answer = slowAt.withLock(\.count) > 1 ? Self.sending("N1 front") : Self.resting(for: .seconds(20))
            return try await answer(request, keep)
        }
        harness.host("https://quick/front", Self.sending("N2 front"))
        let items: [[Photo]] = [[.at("https://slow/front", "N1")], [.at("https://quick/front", "N2")]]
        try await time.passing { try await harness.run(items, time: time.engineTime) }
        #expect(harness.delivered == [["N2 front"], ["N1 front"]])
        #expect(slowAt.withLock { $0 }[1] >= .seconds(20))
    }

    @Test func `however many images wait for a host that rests, those of another are fetched`() async throws {
        let many = (1...600).map { index in
            let address = "https://resting/\(index)"
            harness.host(address, Self.resting())
            return [Photo.at(address, "N\(index)")]
        }
        harness.host("https://good/front", Self.sending("M front"))
        try await harness.run(many + [[.at("https://good/front", "M")]])
        #expect(harness.delivered == [["M front"]])
        // A few begin together before the first is told to wait.
        #expect(harness.state.withLock { $0.fetched.count } <= 10)
    }

    @Test func `a run waits for what is due within its patience, though another host rests for longer`() async throws {
        let calls = Counter()
        harness.host("https://resting/front", Self.resting())
        harness.host("https://good/front") { request, keep in
            guard calls.next() > 1 else { return .failed(.specimen(.transient)) }
            return try await Self.sending("N2 front")(request, keep)
        }
        let settings = harness.settings { settings in
            settings.patience = .seconds(60)
            settings.retry = RetryPolicy(base: .seconds(20), cap: .seconds(20))
        }
        let items: [[Photo]] = [[.at("https://resting/front", "N1")], [.at("https://good/front", "N2")]]
        try await time.passing { try await harness.run(items, settings, time: time.engineTime) }
        #expect(harness.delivered == [["N2 front"]])
    }

    @Test func `an image that is not there yet when a message names it is fetched once it is`() async throws {
        let done = Happening()
        harness.state.withLock { state in
            state.fetches["https://h/front"] = { request, keep in
                guard harness.state.withLock({ $0.fetched.count }) > 2 else {
                    return .failed(.specimen(.rejected))
                }
                return try await Self.sending("N1 front")(request, keep)
            }
            state.onEvent = { event, _ in
                if case .changed(let change) = event, !change.state.isRunnable { done.happen() }
            }
        }
        try await harness.withEngine { engine in
            try await engine.run {
                #expect(
                    try await engine.intake(of: Caller(subject: "till", scopes: [])).receive([
                        .at("https://h/front", "N1")
                    ]).map(\.state) == [
                        .fetching
                    ]
                )
                try await done.wait()
            }
        }
        #expect(harness.delivered == [["N1 front"]])
    }

    @Test func `an address that our rules forbid fails, what is no image is rejected`() async throws {
        harness.host("https://h/empty") { _, _ in
            .unusable(CodedError(ReasonCode(rawValue: "fetch_empty"), .input, "the body is empty"))
        }
        try await harness.run([[.at("nowhere", "N1"), .at("https://h/empty", "N2")]])
        let cards = try await harness.store.listings.cards(CardFilter(), after: 0, limit: 10, for: .process)
        let states = cards.map { "\($0.state) \($0.reason?.rawValue ?? "")" }
        #expect(states == ["failed fetch_host_refused", "rejected fetch_empty"])
    }

    @Test func `a run that ends while it fetches leaves what is there, and the next asks for the rest`() async throws {
        let requests = Mutex<[FetchRequest]>([])
        harness.host("https://h/front") { request, keep in
            requests.withLock { $0.append(request) }
            guard requests.withLock(\.count) == 1 else { return try await Self.sending("N1 front")(request, keep) }
            try await keep(Data("N1 f".utf8), 0, FetchedVersion(validator: "\"1\"", byteCount: 8))
            harness.state.withLock { $0.engine }?.stop()
            throw CancellationError()
        }
        try await harness.run(Self.front)
        #expect(harness.delivered.isEmpty)
        try await harness.run(Self.front)
        #expect(requests.withLock { $0.map(\.stored) } == [[], [0..<4]])
        #expect(harness.delivered == [["N1 front"]])
    }

    @Test func `many images of one host are fetched at its pace, and each is claimed once`() async throws {
        let underWay = Mutex((now: 0, most: 0))
        let items = (1...40).map { index in
            let address = "https://h/front\(index)"
            harness.host(address) { request, keep in
                underWay.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                defer { underWay.withLock { $0.now -= 1 } }
                return try await Self.sending("N\(index) front")(request, keep)
            }
            return [Photo.at(address, "N\(index)")]
        }
        try await harness.run(items)
        #expect(harness.delivered.count == 40)
        #expect(harness.state.withLock { $0.fetched.count } == 40)
        #expect(1...8 ~= underWay.withLock(\.most))
    }

    @Test func `a card that is erased while it is fetched ends nothing else`() async throws {
        harness.host("https://h/gone") { request, keep in
            let cards = try await harness.store.listings.cards(CardFilter(), after: 0, limit: 10, for: .process)
            let card = try #require(cards.first { $0.metadata.businessNumber.rawValue == "N1" })
            _ = try await harness.store.upkeep.erase(
                [card.id],
                because: ReasonCode(rawValue: "requested"),
                by: AccessOrigin(actor: "test"),
                now: Timestamp(Date())
            )
            return try await Self.sending("N1 front")(request, keep)
        }
        harness.host("https://h/front", Self.sending("N2 front"))
        try await harness.run([[.at("https://h/gone", "N1")], [.at("https://h/front", "N2")]])
        #expect(harness.delivered == [["N2 front"]])
        let cards = try await harness.store.listings.cards(CardFilter(), after: 0, limit: 10, for: .process)
        // Numbers of one list are taken in beside each other, in any order.
        let states = cards.map { "\($0.metadata.businessNumber.rawValue) \($0.state.rawValue)" }.sorted()
        #expect(states == ["N1 erased", "N2 delivered"])
    }

    @Test func `our own full disk puts an image off and is no attempt`() async throws {
        let calls = Mutex<[Duration]>([])
        harness.host("https://h/front") { request, keep in
            calls.withLock { $0.append(time.elapsed) }
            guard calls.withLock(\.count) > 1 else { throw CodedError(.diskSpaceLow, .storage, "the disk is full") }
            return try await Self.sending("N1 front")(request, keep)
        }
        let settings = harness.settings { $0.patience = .seconds(600) }
        try await time.passing { try await harness.run(Self.front, settings, time: time.engineTime) }
        #expect(harness.delivered == [["N1 front"]])
        #expect(calls.withLock { $0 }[1] >= .seconds(60))
        #expect(
            try await harness.onlyCard().events.filter { $0.stage != nil }.allSatisfy { $0.failureClass == .accepted }
        )
    }
}
