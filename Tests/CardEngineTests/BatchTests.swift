import CardEngine
import CardModel
import CardStore
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct BatchTests {
    let harness: EngineHarness

    init() async throws { self.harness = try await EngineHarness() }

    @Test func `every card of a list is delivered, fronts before their backs`() async throws {
        let stopped = try await harness.run(
            harness.items(["N1": ["back", "front"], "N2": ["front", "back"], "N3": ["front"]])
        )
        #expect(stopped.isEmpty)
        #expect(Set(try await harness.states().values) == ["delivered"])
        let delivered = harness.delivered.flatMap(\.self)
        #expect(delivered.count == 5)
        for number in ["N1", "N2"] {
            let front = try #require(delivered.firstIndex(of: "\(number) front"))
            let back = try #require(delivered.firstIndex(of: "\(number) back"))
            #expect(front < back)
        }
    }

    @Test func `a second run reads nothing and delivers nothing`() async throws {
        let items = try harness.items(["N1": ["front", "back"]])
        try await harness.run(items)
        let before = harness.state.withLock { $0.verified.count }
        harness.state.withLock { $0.events = [] }
        try await harness.run(items)
        let duplicates = harness.reporting { if case .taken(_, let outcome) = $0 { outcome.isDuplicate } else { nil } }
        #expect(duplicates == [true, true])
        #expect(harness.state.withLock { $0.verified.count } == before)
        #expect(harness.delivered.count == 2)
    }

    @Test func `an unreadable photo is rejected, and its back waits for a front that comes`() async throws {
        try await harness.run(harness.items(["N1": ["broken front", "back"]]))
        let expected = ["N1 broken front": "rejected image_truncated", "N1 back": "verified front_missing"]
        #expect(try await harness.states() == expected)
        #expect(harness.delivered.isEmpty)
        try await harness.run(harness.items(["N1": ["front"]]))
        #expect(harness.delivered == [["N1 front"], ["N1 back"]])
    }

    @Test func `a photo that cannot be prepared for now keeps its whole number out`() async throws {
        try await harness.run(harness.items(["N1": ["front", "heavy back"], "N2": ["front"]]))
        #expect(harness.delivered == [["N2 front"]])
        #expect(try await harness.states() == ["N2 front": "delivered"])
        let refused = harness.reporting { event -> String? in
            guard case .refused(let item, let error) = event else { return nil }
            return "\(item.metadata.businessNumber.rawValue) \(error.code.rawValue)"
        }
        #expect(refused == ["N1 image_timeout", "N1 image_timeout"])
    }

    @Test func `an outage of the verifier fails nobody`() async throws {
        let outage = Array(repeating: RemoteFailure.specimen(.transient), count: 12)
        harness.state.withLock { $0.verifyFailures["N1 front"] = outage }
        let settings = harness.settings { $0.verification.maxAttempts = 3 }
        try await harness.run(harness.items(["N1": ["front"]]), settings)
        #expect(try await harness.states() == ["N1 front": "delivered"])
    }

    @Test func `a card that alone fails uses its attempts up`() async throws {
        let (failures, failure) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        harness.state.withLock { state in
            state.verifyFailures["N1 front"] = Array(repeating: RemoteFailure.specimen(.transient), count: 1000)
            state.onEvent = { event, _ in
                switch event {
                case .failed(.verify, _): failure.yield()
                case .changed(let change) where change.state == .failed: failure.finish()
                default: break
                }
            }
        }
        let settings = harness.settings {
            $0.verification.maxAttempts = 3
            $0.verification.concurrency = 1
        }
        let items = try harness.items(["N1": ["front"], "N2": (0..<40).map { "front \($0)" }])
        try await harness.withEngine(settings) { engine in
            try await engine.run {
                _ = try await engine.intake().admit(items[0][0])
                // A failure counts once another card has passed after it: one comes with each.
                var others = items[1].makeIterator()
                for await _ in failures {
                    if let other = others.next() { _ = try await engine.intake().admit(other) }
                }
            }
        }
        let states = try await harness.states()
        #expect(states["N1 front"] == "failed attempts_exhausted", "\(states)")
    }

    @Test func `refused credentials stop the stage and fail no card`() async throws {
        let stops = Array(repeating: RemoteFailure.specimen(.stop, code: "AUTHENTICATION_ERROR"), count: 100)
        harness.state.withLock { $0.verifyFailures["front"] = stops }
        let stopped = try await harness.run(harness.items(["N1": ["front"], "N2": ["front"]]))
        #expect(stopped[.verify]?.code == "AUTHENTICATION_ERROR")
        #expect(Set(try await harness.states().values) == ["prepared"])
    }

    @Test func `one odd request among good ones ends that card, and the others are delivered`() async throws {
        let hasFailed = Happening()
        harness.answer(1000) { delivery in
            let isOdd = delivery.images.values.contains { String(decoding: $0, as: UTF8.self) == "N5 front" }
            return isOdd ? .failed(.specimen(.stop, code: "http_404", scope: .request)) : nil
        }
        harness.state.withLock { state in
            // One that passes after the odd one tells it from an endpoint that refuses all.
            state.onVerify = { photo, _ in if photo == "N6 front" { try await hasFailed.wait() } }
            state.onEvent = { event, _ in if case .failed(.deliver, _) = event { hasFailed.happen() } }
        }
        #expect(try await harness.run(harness.items(["N1", "N2", "N5", "N6"].map { ($0, ["front"]) })).isEmpty)
        let states = try await harness.states()
        // The backend may have it all the same.
        #expect(states["N5 front"] == "held outcome_unknown")
        #expect(states.values.filter { $0 == "delivered" }.count == 3)
    }

    @Test func `a run that is told to end concludes what is under way and leaves the rest`() async throws {
        let settings = harness.settings { $0.verification.concurrency = 1 }
        let items = try harness.items(["N1": ["front"], "N2": ["front"], "N3": ["front"]])
        harness.state.withLock { $0.onVerify = { _, engine in engine.stop() } }
        try await harness.run(items, settings)
        let states = try await harness.states()
        #expect(states.values.filter { $0 == "verified" }.count == 1)
        #expect(states.values.allSatisfy { $0 == "verified" || $0 == "prepared" })
        harness.state.withLock { $0.onVerify = nil }
        try await harness.run(items, settings)
        #expect(Set(try await harness.states().values) == ["delivered"])
    }

    @Test func `an image that is too large goes once more in a smaller size`() async throws {
        harness.state.withLock { $0.verifyFailures["N1 front"] = [RemoteFailure.specimen(.shrink)] }
        try await harness.run(harness.items(["N1": ["front"]]))
        #expect(harness.delivered == [["N1 front small"]])
    }

    @Test func `a lost answer is repeated with the same key, and never under another`() async throws {
        let keys = Mutex<Set<String>>([])
        harness.answer(3) { delivery in
            keys.withLock { _ = $0.insert(delivery.idempotencyKey) }
            return .failed(.specimen(.unknown))
        }
        try await harness.run(harness.items(["N1": ["front"]]))
        #expect(harness.delivered == [["N1 front"]])
        #expect(keys.withLock(\.self) == [harness.state.withLock { $0.delivered[0].key }])
    }

    @Test func `answers that stay lost hold the card`() async throws {
        let hasFailed = Happening()
        harness.answer(1000) { delivery in
            String(decoding: delivery.images.values.first ?? Data(), as: UTF8.self).contains("N1")
                ? .failed(.specimen(.unknown)) : nil
        }
        harness.state.withLock { state in
            // An answer that was lost counts once another card has passed after it. One that waits holds up its number, and
            // leaves a place for the card whose answer is lost.
            state.onVerify = { photo, _ in if photo == "N2 front 29" { try await hasFailed.wait() } }
            state.onEvent = { event, _ in if case .failed(.deliver, _) = event { hasFailed.happen() } }
        }
        let settings = harness.settings { $0.delivery.maxAttempts = 1 }
        let others = (0..<30).map { "front \($0)" }
        try await harness.run(harness.items(["N1": ["front"], "N2": others]), settings)
        #expect(try await harness.states()["N1 front"] == "held outcome_unknown")
        #expect(harness.delivered.allSatisfy { !$0[0].contains("N1") })
    }

    @Test func `a TOKEN that is refused when it is new stops the stage, however many more there are`() async throws {
        harness.state.withLock { $0.tokens = (1...100).map { "TOKEN-\($0)" } }
        harness.answer(100) { _ in .tokenExpired(.specimen(.stop, code: "TOKEN")) }
        let settings = harness.settings { $0.probeInterval = .milliseconds(1) }
        #expect(try await harness.run(harness.items(["N1": ["front"]]), settings)[.deliver]?.code == "TOKEN")
        #expect(try await harness.states() == ["N1 front": "verified"])
        // The first refusal, the three stops in a row that end the batch, and what is sent before it has ended.
        #expect(harness.state.withLock { 100 - $0.deliveries.count } < 50)
    }

    @Test func `TOKENs that expire between successes are fetched again each time`() async throws {
        let expire: @Sendable (OutboundDelivery) -> DeliveryOutcome? = { _ in
            .tokenExpired(.specimen(.stop, code: "TOKEN"))
        }
        harness.state.withLock { state in
            state.tokens = ["TOKEN-1", "TOKEN-2", "TOKEN-3"]
            state.deliveries = [expire, { _ in nil }, expire]
        }
        let settings = harness.settings { $0.delivery.concurrency = 1 }
        #expect(try await harness.run(harness.items(["N1": ["front"], "N2": ["front"]]), settings).isEmpty)
        #expect(harness.delivered.count == 2)
        #expect(harness.reporting { if case .failed = $0 { true } else { nil } }.isEmpty)
    }

    @Test func `a RETCODE of no list holds its card, and three in a row rest the stage`() async throws {
        harness.answer(100) { _ in .failed(.specimen(.rejected, code: "9999", isUnlisted: true)) }
        let settings = harness.settings { $0.delivery.concurrency = 1 }
        let stopped = try await harness.run(harness.items((1...10).map { ("N\($0)", ["front"]) }), settings)
        let states = try await harness.states()
        // Three rest the stage; two probes after one and two seconds meet the same word, and the batch ends.
        #expect(states.values.filter { $0 == "held retcode_unlisted" }.count == 5)
        #expect(states.values.filter { $0 == "verified" }.count == 5)
        #expect(stopped[.deliver]?.code == "9999")
    }

    @Test func `cards that three in a row refused rest the stage only until another passes`() async throws {
        harness.answer(3) { _ in .failed(.specimen(.rejected, code: "9999", isUnlisted: true)) }
        let settings = harness.settings { $0.delivery.concurrency = 1 }
        #expect(try await harness.run(harness.items((1...6).map { ("N\($0)", ["front"]) }), settings).isEmpty)
        #expect(harness.delivered.count == 3)
    }

    @Test(arguments: [(404, 2), (400, 10)])
    func `the third document in a row that is refused under a status about the address is kept`(
        status: Int,
        rejected: Int
    ) async throws {
        var refusal = RemoteFailure.specimen(.rejected, code: "E1")
        refusal.httpStatus = status
        harness.answer(100) { [refusal] _ in .failed(refusal) }
        let settings = harness.settings { $0.delivery.concurrency = 1 }
        let stopped = try await harness.run(harness.items((1...10).map { ("N\($0)", ["front"]) }), settings)
        let states = try await harness.states()
        #expect(states.values.filter { $0 == "rejected refused_by_remote" }.count == rejected)
        #expect(stopped[.deliver]?.code == (status == 404 ? "E1" : nil))
    }

    @Test(arguments: [DeliveryLayoutKind.application, .batch])
    func `a layout that joins cards sends them in one form`(layout: DeliveryLayoutKind) async throws {
        let settings = harness.settings(layout: layout) {
            // Nothing else comes, so nothing waits so long.
            $0.batchWait = .seconds(600)
        }
        try await harness.run(harness.items(["N1": ["front", "back"], "N2": ["front", "back"]]), settings)
        #expect(Set(try await harness.states().values) == ["delivered"])
        #expect(harness.delivered.count < 4)
        #expect(harness.delivered.joined().count == 4)
    }
}
