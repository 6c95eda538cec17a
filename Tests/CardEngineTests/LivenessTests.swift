import CardEngine
import CardModel
import CardStore
import Foundation
import Synchronization
import TestSupport
import Testing

/// That what cannot go keeps nothing else back.
@Suite(.timeLimit(.minutes(5))) struct LivenessTests {
    let harness: EngineHarness
    var time: ManualTime { harness.time }

    init() async throws { self.harness = try await EngineHarness() }

    private func photo(_ delivery: OutboundDelivery) -> String {
        String(decoding: delivery.images.values.first ?? Data(), as: UTF8.self)
    }

    private func run(_ photos: [(String, [String])], _ settings: EngineSettings) async throws {
        let items = try harness.items(photos)
        try await time.passing { try await harness.run(items, settings, time: time.engineTime) }
    }

    @Test func `backs without a front, far more than go at a time, keep no other number waiting`() async throws {
        let waiting = (0..<300).map { ("W\($0)", ["back"]) }
        try await self.run(waiting + [("N1", ["front"])], harness.settings())
        #expect(harness.delivered == [["N1 front"]])
        #expect(time.elapsed < .seconds(5))
        #expect(try await harness.states().values.filter { $0 == "verified front_missing" }.count == 300)
    }

    @Test func `a stage that does nothing for ten minutes with a card that is due is told, until it moves on`()
        async throws
    {
        harness.state.withLock { state in
            state.onVerify = { photo, _ in if photo == "N1 front" { await time.reached(.seconds(700)) } }
        }
        // The second card waits for the place of a call that does not end.
        let settings = harness.settings { $0.verification.concurrency = 1 }
        let items = try harness.items(["N1": ["front"], "N2": ["front"]]).flatMap(\.self)
        let reporting = Mutex<[[String]]>([])
        try await time.passing(whenAsleep: 8) {
            try await harness.withEngine(settings, time: time.engineTime) { engine in
                try await engine.run {
                    for item in items { _ = try await engine.intake().admit(item) }
                    for seconds in [590, 620, 720] {
                        await time.reached(.seconds(seconds))
                        let troubles = try await harness.store.listings.issues(.ample, now: time.now)
                        reporting.withLock { $0.append(troubles.map { "\($0.stage?.rawValue ?? "") \($0.code)" }) }
                    }
                }
            }
        }
        #expect(reporting.withLock(\.self) == [[], ["verify standstill"], []])
        #expect(harness.delivered.count == 2)
    }

    @Test func `a start looks again only at what its configuration can change`() async throws {
        try await self.run((0..<20).map { ("W\($0)", ["back"]) }, harness.settings())
        #expect(try await harness.store.deliveries.nextDecision(now: time.now) == nil)
        try await self.run([], harness.settings())
        #expect(harness.delivered.isEmpty)
        try await self.run([], harness.settings { $0.policy.backWithoutFront = .send })
        #expect(harness.delivered.count == 20)
    }

    @Test func `four documents that always fail stop none of a hundred good ones`() async throws {
        let bad = (0..<4).map { ("B\($0)", ["front"]) }
        harness.answer(1_000) { delivery in
            self.photo(delivery).hasPrefix("B") ? .failed(.specimen(.unknown, code: "http_500")) : nil
        }
        let good = (0..<100).map { ("N\($0)", ["front"]) }
        let settings = harness.settings { $0.retry = RetryPolicy() }
        try await self.run(bad + good, settings)
        let states = try await harness.states()
        #expect(states.values.filter { $0 == "delivered" }.count == 100)
        // Once nothing else passes, what fails may be the backend's fault again.
        let others = states.filter { $0.key.hasPrefix("B") }.values
        #expect(others.allSatisfy { ["delivering", "held outcome_unknown"].contains($0) })
    }

    @Test func `images that always fail keep good ones of their host back for two minutes at most`() async throws {
        let addresses = (0..<14).map { "https://h/dead\($0)" } + (0..<5).map { "https://h/good\($0)" }
        let delivered = Mutex<Duration?>(nil)
        harness.state.withLock { state in
            for index in 0..<5 {
                state.fetches["https://h/good\(index)"] = { _, keep in
                    let bytes = Data("G\(index) front".utf8)
                    try await keep(bytes, 0, FetchedVersion(validator: nil, byteCount: bytes.count))
                    return .fetched
                }
            }
            state.onEvent = { event, engine in
                guard case .changed(let change) = event, change.state == .delivered, harness.delivered.count == 5
                else { return }
                delivered.withLock { $0 = $0 ?? time.elapsed }
                engine.stop()
            }
        }
        let items = addresses.enumerated().map { [Photo.at($0.element, "U\($0.offset)")] }
        let settings = harness.settings { $0.retry = RetryPolicy() }
        try await time.passing { try await harness.run(items, settings, time: time.engineTime) }
        #expect(try #require(delivered.withLock { $0 }) <= .seconds(120))
    }

    /// The keys under which a minute of refusals is met by forty cards, and what is delivered after it.
    private func outage(_ failure: RemoteFailure) async throws -> (attempted: Set<String>, delivered: Set<String>) {
        let attempted = Mutex<Set<String>>([])
        harness.answer(10_000) { delivery in
            guard time.elapsed < .seconds(60) else { return nil }
            attempted.withLock { _ = $0.insert(delivery.idempotencyKey) }
            return .failed(failure)
        }
        let settings = harness.settings { $0.retry = RetryPolicy() }
        try await self.run((0..<40).map { ("N\($0)", ["front"]) }, settings)
        #expect(Set(try await harness.states().values) == ["delivered"])
        let keys = harness.state.withLock { $0.delivered.map(\.key) }
        #expect(Set(keys).count == 40)
        return (attempted.withLock(\.self), Set(keys))
    }

    @Test func `few deliveries are exposed to a backend that fails`() async throws {
        let (attempted, delivered) = try await self.outage(RemoteFailure.specimen(.unknown, code: "http_500"))
        // Four at once, then every other probe: after one, two, four … seconds.
        #expect(attempted.count <= 10)
        #expect(attempted.isSubset(of: delivered), "each went on under its key")
    }

    @Test func `a backend that is not reached has the same deliveries tried again`() async throws {
        let (attempted, delivered) = try await self.outage(RemoteFailure.specimen(.notSent, code: "connect_refused"))
        #expect(attempted.count <= 4)
        #expect(attempted.isSubset(of: delivered))
        let reporting = harness.reporting { if case .changed(let change) = $0 { change.state } else { nil } }
        #expect(reporting.count { $0 == .verified } == 40, "no card came back from its delivery")
    }

    @Test func `an endpoint that fails is told of in the sandbox while it does`() async throws {
        let begun = time.now
        _ = try await self.outage(RemoteFailure.specimen(.unknown, code: "http_500"))
        let pauses = harness.reporting { if case .paused(let pause) = $0 { pause } else { nil } }
        let last = try #require(pauses.last)
        #expect(pauses.allSatisfy { $0.state == .pauses && $0.code == "http_500" && $0.stage == .deliver })
        #expect(last.since.duration(since: begun) < .seconds(5), "since the first failure, not the last")
        #expect(try await harness.store.endpoints.pauses().isEmpty, "it works again")
    }

    @Test func `without patience a batch still delivers what can go`() async throws {
        let items = try harness.items(["N1": ["front", "back"], "N2": ["front"]])
        try await harness.run(items, harness.settings { $0.patience = .zero })
        #expect(Set(try await harness.states().values) == ["delivered"])
    }

    @Test func `a batch waits for its cards that another living process has claimed`() async throws {
        let (isClaimed, mayEnd) = (Happening(), Happening())
        let items = try harness.items(["N1": ["front"]])
        let other = try await EngineHarness(sharing: harness)
        other.state.withLock { state in
            state.onVerify = { _, _ in
                isClaimed.happen()
                try await mayEnd.wait()
            }
        }
        let first = Task { try await other.run(items) }
        try await isClaimed.wait()
        let looks = Counter()
        let system = EngineTime.system
        let time = EngineTime(now: system.now, steady: system.steady) { duration in
            // It has looked several times, and what is claimed is not its own: let the other go on.
            if looks.next() == 12 { mayEnd.happen() }
            try await Task.sleep(for: min(duration, .milliseconds(20)))
        }
        try await harness.run(items, harness.settings { $0.patience = .seconds(10) }, time: time)
        #expect(try await harness.states() == ["N1 front": "delivered"])
        _ = try await first.value
    }
}
