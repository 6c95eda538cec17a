import CardModel
import TestSupport
import Testing

@Suite struct DeliveryOutcomeTests {
    @Test func `a delivery of several cards ended as for the first that was not accepted`() {
        func failure(_ failureClass: FailureClass) -> RemoteFailure {
            RemoteFailure(failureClass, code: "code", message: "it failed")
        }
        let taken = DeliveryItemOutcome.accepted(alreadyExisted: false, code: "000000")
        let refused = DeliveryItemOutcome.rejected(failure(.rejected))
        let cases: [(DeliveryOutcome, FailureClass)] = [
            (.accepted(alreadyExisted: true, code: "000001"), .accepted),
            (.items([taken, taken]), .accepted),
            (.items([taken, refused, .notApplied(failure(.throttled))]), .rejected),
            (.items([taken, .notApplied(failure(.throttled)), refused]), .throttled),
            (.items([.unknown(failure(.unknown))]), .unknown),
            (.tokenExpired(failure(.stop)), .stop),
            (.failed(failure(.throttled)), .throttled),
        ]
        for (outcome, ended) in cases { #expect(outcome.failureClass == ended, "\(outcome)") }
    }
}
