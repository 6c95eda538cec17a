import CardEngine
import CardModel
import CardStore
import Synchronization
import TestSupport
import Testing

/// A TOKEN that changes while deliveries are under way.
@Suite(.timeLimit(.minutes(5))) struct TokenTests {
    let harness: EngineHarness

    init() async throws { self.harness = try await EngineHarness() }

    private static func token(_ delivery: OutboundDelivery) -> String? {
        guard case .text(let token) = delivery.parts.first?.content else { return nil }
        return token.reveal()
    }

    /// Answers deliveries under the old TOKEN from some point on; the new one holds once so many were refused.
    private func refuse(after good: Int, renewingAfter bad: Int, _ answer: DeliveryOutcome) {
        let seen = Counter()
        harness.answer(10_000) { [harness] delivery in
            guard Self.token(delivery) == "TOKEN-1" else { return nil }
            let count = seen.next()
            guard count > good else { return nil }
            // Not at once: the backend of the harness answers under its lock.
            if count == good + bad { Task { harness.state.withLock { $0.tokens = ["TOKEN-2"] } } }
            return answer
        }
    }

    private var cards: [(String, [String])] { (0..<150).map { ("N\($0)", ["front"]) } }

    private func expectNoneTwice() {
        let photos = harness.delivered.flatMap(\.self)
        #expect(Set(photos).count == photos.count)
    }

    private static let forbidden = RemoteFailure.specimen(.stop, code: "http_403", scope: .request)

    @Test(arguments: [DeliveryOutcome.failed(forbidden), .tokenExpired(forbidden)])
    func `403 until the TOKEN is new: all are delivered, or held with a way out`(answer: DeliveryOutcome) async throws {
        self.refuse(after: 100, renewingAfter: 5, answer)
        let settings = harness.settings { $0.probeInterval = .milliseconds(5) }
        try await harness.run(harness.items(self.cards), settings)
        // A later run goes on where an endpoint had stopped the first.
        try await harness.run([], settings)
        let cards = try await harness.store.listings.cards(CardFilter(), after: 0, limit: 1000, for: .process)
        #expect(cards.count == 150)
        for card in cards where card.state != .delivered {
            #expect(card.state == .held && card.reason == .outcomeUnknown)
            let message = card.message?.text() ?? ""
            #expect(
                message.contains(
                    "cards resolve \(card.id.rawValue) --as delivered; if not, run the same command with --as anew"
                )
            )
        }
        #expect(cards.contains { $0.state == .held }, "some were sent under the old TOKEN")
        self.expectNoneTwice()
    }

    @Test func `who was refused with the old TOKEN goes again with the new one, and nothing stops`() async throws {
        let calls = Counter()
        let isRenewed = Happening()
        harness.state.withLock { state in
            state.tokens = ["TOKEN-1", "TOKEN-2"]
            // The others are under way until the first goes again with the new TOKEN.
            state.onDeliver = {
                if harness.state.withLock({ $0.tokens.count }) == 1 { isRenewed.happen() }
                if calls.next() > 1 { try await isRenewed.wait() }
            }
        }
        harness.answer(10_000) { delivery in
            Self.token(delivery) == "TOKEN-1" ? .tokenExpired(.specimen(.stop, code: "100001")) : nil
        }
        #expect(try await harness.run(harness.items((0..<4).map { ("N\($0)", ["front"]) })).isEmpty)
        #expect(Set(try await harness.states().values) == ["delivered"])
        #expect(harness.reporting { if case .failed(.deliver, _) = $0 { true } else { nil } }.isEmpty)
        self.expectNoneTwice()
    }

    @Test func `what never reached the backend is formed again when its TOKEN has changed`() async throws {
        let keys = Mutex<[String]>([])
        harness.answer(10_000) { [harness] delivery in
            keys.withLock { $0.append(delivery.idempotencyKey) }
            guard Self.token(delivery) == "TOKEN-1" else { return nil }
            Task { harness.state.withLock { $0.tokens = ["TOKEN-2"] } }
            return .failed(.specimen(.notSent, code: "connect_refused"))
        }
        try await harness.run(harness.items(["N1": ["front"]]))
        #expect(try await harness.states() == ["N1 front": "delivered"])
        #expect(Set(keys.withLock(\.self)).count == 2)
    }
}
