import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

/// A key that allows one call at a time.
@Suite("A verifier that allows one call at a time", .serialized, .timeLimit(.minutes(Sanitizer.minutes(3))))
struct ThrottlingTests {
    @Test("Three hundred cards are delivered by eight workers, and one call in a hundred is throttled at most")
    func oneAtATime() async throws {
        let gate = ConcurrencyGate(limit: 1, holdingMilliseconds: 3)
        var plan = FirePlan()
        plan.verifier = { _ in .throttled(gate) { FaceIDReplies.answer($0) } }
        plan.settings.verifyConcurrency = 8
        // One attempt that counted would be the end of a card.
        plan.settings.verifyMaximumAttempts = 1
        try await withFireRange(plan) { range async throws in
            #expect(try await range.run(range.fronts(300)) == .complete)
            #expect(try await range.counts() == [.delivered: 300])
            expectOneDocumentEach(in: range.ledger, count: 300)
            #expect(Set(range.verifications.classes) == [.accepted, .throttled])
            #expect(gate.admitted == 300)
            #expect(gate.mostInside == 1)
            // Where the limit lies is found by passing it once. A machine so slow that the hold of 30 s is over before
            // the end passes it a second time, for which one more is allowed.
            #expect(gate.refused >= 1, "more than one call at a time was never tried")
            #expect(gate.refused <= 300 / 100 + 1)
        }
    }
}
