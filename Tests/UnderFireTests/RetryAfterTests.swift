import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

/// Servers that ask to be left alone for a time.
@Suite("Servers that ask to be left alone", .serialized, .timeLimit(.minutes(Sanitizer.minutes(2))))
struct RetryAfterTests {
    enum Form: String, CaseIterable {
        case seconds
        case date
    }

    enum Side: String, CaseIterable {
        case verifier
        case backend
    }

    /// When requests began, and until when there should have been none, by the clock of the server.
    private final class Watch: Sendable {
        private struct State {
            var arrivals: [Timestamp] = []
            var promise: Timestamp?
        }

        private let state = Mutex(State())

        /// Notes a request that begins.
        func arrive() {
            self.state.withLock { $0.arrivals.append(Timestamp(Date())) }
        }

        /// Asks for a wait of one second at least, and remembers until when.
        func refuse(in form: Form) -> FaultReply {
            let now = Date()
            switch form {
            case .seconds:
                self.state.withLock { $0.promise = Timestamp(now.addingTimeInterval(1)) }
                return .unavailable(retryAfterSeconds: 1)
            case .date:
                // Dates have whole seconds.
                let date = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.up) + 1)
                self.state.withLock { $0.promise = Timestamp(date) }
                return .unavailable(retryAfter: date)
            }
        }

        /// The requests that came after the refused one and yet too early.
        var early: Int {
            self.state.withLock { state in
                state.arrivals.dropFirst().count { $0 < state.promise ?? Timestamp(millisecondsSinceEpoch: .max) }
            }
        }

        /// How many requests began.
        var count: Int { self.state.withLock { $0.arrivals.count } }
    }

    @Test(
        "While twenty cards wait no request comes before the time, and no attempt is spent",
        arguments: Side.allCases,
        Form.allCases
    )
    func respected(side: Side, form: Form) async throws {
        let watch = Watch()
        var plan = FirePlan()
        // One attempt that counted would be the end of a card.
        plan.settings.verifyMaximumAttempts = 1
        plan.settings.deliverMaximumAttempts = 1
        let refusal = FaultScript.answer { _ in watch.refuse(in: form) }
        switch side {
        case .verifier:
            plan.verifier = { request in
                watch.arrive()
                return request == 0 ? refusal : .answer(FaceIDReplies.answer)
            }
        case .backend:
            plan.backend = { request, ledger in
                watch.arrive()
                return request == 0 ? refusal : .answer { ledger.answer($0) }
            }
        }
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(21)) == .complete)
            #expect(try await range.counts() == [.delivered: 21])
            #expect(watch.early == 0)
            #expect(watch.count == 22)
            let log = side == .verifier ? range.verifications : range.deliveries
            #expect(log.classes.first == .throttled)
            #expect(log.classes.dropFirst().allSatisfy { $0 == .accepted })
            try expectIdenticalRepeats(at: range.backend)
            expectOneDocumentEach(in: range.ledger, count: 21)
        }
    }
}
