import CardModel
import Testing

/// One case for each sentence of the rules that says what never, only or first happens to the cards of a number.
@Suite struct CaseRulesTests {
    private static let bothWait = "wait b waits_for_verification, wait f waits_for_verification"

    private static let firstRule: [DecisionCase] =
        ["fetching", "received", "prepared"].flatMap { state in
            [
                DecisionCase("\(state) of unknown side", "f, b, x \(state)", is: bothWait),
                DecisionCase(
                    "\(state), and the front is delivered",
                    "front erased, b, g \(state)",
                    is: "wait b waits_for_verification"
                ),
                DecisionCase(
                    "\(state), and a person let the back go",
                    "b frontless, x \(state) | backs alone",
                    is: "wait b waits_for_verification"
                ),
                DecisionCase("\(state), in one form", "f, b, x \(state) | application", is: bothWait),
            ]
        } + [DecisionCase("another submitter's", "f, g held submitter_conflict", is: "send f")]

    @Test(arguments: firstRule)
    func `Nothing goes while a known card is still to be fetched, prepared or verified`(decision: DecisionCase) {
        #expect(decision.decided == decision.expected)
    }

    private static let secondRule: [DecisionCase] = [
        DecisionCase(
            "two fronts and a back",
            "f, g, b | disputed",
            is: "hold b holder_conflict, hold f holder_conflict, hold g holder_conflict"
        ),
        DecisionCase("a card whose fronts are erased", "front erased, f | disputed", is: "hold f holder_conflict"),
        DecisionCase(
            "one accepted front",
            "f accepted, g, b | disputed",
            is: "hold b holder_conflict, hold g holder_conflict, send f"
        ),
        DecisionCase(
            "an accepted back of a delivered front",
            "front erased, b accepted, c | disputed",
            is: "hold c holder_conflict, send b"
        ),
        DecisionCase(
            "an accepted back whose front is not",
            "f, b accepted | disputed",
            is: "hold f holder_conflict, wait b waits_for_front"
        ),
        DecisionCase("a card awaits verification", "f, x prepared | disputed", is: "hold f holder_conflict"),
    ]

    @Test(arguments: secondRule)
    func `Of a disputed number each card is held until a person accepts that very card`(decision: DecisionCase) {
        #expect(decision.decided == decision.expected)
    }

    private static let fourthRule: [DecisionCase] =
        ["superseded", "held submitter_conflict", "held case_rejected", "rejected rejected_by_operator"].map { state in
            DecisionCase("its front is \(state)", "f \(state), b", is: "wait b front_missing")
        }
        + ["delivering", "held", "rejected", "failed", "rejected retake_glare"].map { state in
            DecisionCase("its front is \(state)", "f \(state), b", is: "wait b waits_for_front")
        } + [
            DecisionCase("its front is verified", "f, b", is: "wait b waits_for_front, send f"),
            DecisionCase("no front", "b", is: "wait b front_missing"),
            DecisionCase("a photo of neither side was rejected", "x rejected, b", is: "wait b front_missing"),
            DecisionCase("a front may still come", "b waiting", is: "wait b waits_for_front, look in 600 s"),
            DecisionCase("a front was delivered", "f delivered, b", is: "send b"),
            DecisionCase("a delivered front was erased", "front erased, b", is: "send b"),
            DecisionCase("a person let it go", "b frontless", is: "send b"),
            DecisionCase("a person accepted it once", "b accepted", is: "wait b front_missing"),
            DecisionCase("the backend takes backs alone", "b | backs alone", is: "send b"),
            DecisionCase(
                "the backend takes backs alone, but a front may come",
                "b waiting | backs alone",
                is: "wait b waits_for_front, look in 600 s"
            ),
            DecisionCase(
                "the backend takes backs alone, and the front is here",
                "f, b | backs alone",
                is: "wait b waits_for_front, send f"
            ),
            DecisionCase("others share a form", "f, b | batch", is: "wait b waits_for_front, send f"),
        ]

    @Test(arguments: fourthRule)
    func `A back goes only after a front of its number, unless a person or a setting says so`(decision: DecisionCase) {
        #expect(decision.decided == decision.expected)
    }

    @Test(arguments: [
        DecisionCase("one", "f due", is: "wait f due, look in 600 s"),
        DecisionCase("a pair", "f, b due | application", is: "wait b due, wait f due, look in 600 s"),
    ])
    func `A card that the backend sent away for now waits until it is due`(decision: DecisionCase) {
        #expect(decision.decided == decision.expected)
    }

    @Test(arguments: [
        DecisionCase("a front", "f accountless, b", is: "wait b waits_for_front, wait f user_no_missing"),
        DecisionCase(
            "a front in one form with a back that has one",
            "f accountless, b | application",
            is: "wait b waits_for_front, wait f user_no_missing"
        ),
        DecisionCase("a back", "f, b accountless", is: "wait b user_no_missing, send f"),
        DecisionCase(
            "a back whose front still waits for it",
            "f waiting, b accountless | application",
            is: "wait b user_no_missing, wait f waits_for_back, look in 600 s"
        ),
        DecisionCase(
            "a back whose front has waited for it",
            "f, b accountless | application",
            is: "wait b user_no_missing, send f"
        ),
    ])
    func `A card without user account waits for it, and its other side goes as without it`(decision: DecisionCase) {
        #expect(decision.decided == decision.expected)
    }

    @Test func `Without a card that is verified nothing is decided`() {
        let others = CardState.allCases.filter { $0 != .verified }.map { "f-\($0.rawValue) \($0.rawValue)" }
        #expect(DecisionCase("", others.joined(separator: ", ") + " | disputed", is: "").decided == "")
    }
}
