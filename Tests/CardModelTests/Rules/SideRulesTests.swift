import CardModel
import Testing

/// Two photos of one side, front against back, and both in one form.
@Suite struct SideRulesTests {
    private static let sameSide: [DecisionCase] = [
        DecisionCase("both verified", "f, g", is: "supersede f, send g"),
        DecisionCase("the newer awaits verification", "f, g prepared", is: "wait f waits_for_verification"),
        DecisionCase("the older is verified later", "f, g delivering", is: "supersede f"),
        DecisionCase("the newer was delivered and erased", "f, front erased", is: "supersede f"),
        DecisionCase("the newer is rejected", "f, g rejected", is: "send f"),
        DecisionCase("the older is on its way", "f delivering, g", is: "wait g waits_for_older_photo"),
        DecisionCase("the older may have arrived", "f held outcome_unknown, g", is: "wait g waits_for_older_photo"),
        DecisionCase("the older is from a backup", "f held restored, g", is: "wait g waits_for_older_photo"),
        DecisionCase("the older waits for a person, not sent", "f held legality_unavailable, g", is: "send g"),
        DecisionCase("the older was delivered", "f delivered, g", is: "send g"),
        DecisionCase("backs among themselves", "b, c, f delivered", is: "supersede b, send c"),
        DecisionCase(
            "an older back is on its way",
            "front erased, b delivering, c",
            is: "wait c waits_for_older_photo"
        ),
        DecisionCase(
            "another person's photo does not replace an accepted one",
            "f accepted, g | disputed",
            is: "hold g holder_conflict, send f"
        ),
    ]

    @Test(arguments: sameSide)
    func `Of two photos of one side the later wins, and overtakes none that may still arrive`(decision: DecisionCase) {
        #expect(decision.decided == decision.expected)
    }

    private static let byTime: [DecisionCase] = [
        DecisionCase("the later taken came first", "f @9, g @1", is: "supersede g, send f"),
        DecisionCase("the later taken came last", "f @1, g @9", is: "supersede f, send g"),
        DecisionCase("times of two seconds say nothing", "f @9, g @7", is: "supersede f, send g"),
        DecisionCase("one without a time goes by arrival", "f @9, g", is: "supersede f, send g"),
        DecisionCase("compared with the newest until then", "e @9, f, g @1", is: "supersede e, supersede f, send g"),
        DecisionCase("the later taken was delivered", "f delivered @9, g @1", is: "supersede g"),
        DecisionCase("the later taken was delivered and erased", "front erased @9, g @1", is: "supersede g"),
        DecisionCase("the earlier taken was delivered", "f @9, g delivered @1", is: "send f"),
        DecisionCase("the later taken is on its way", "f delivering @9, g @1", is: "supersede g"),
        DecisionCase("the earlier taken is on its way", "f @9, g delivering @1", is: "wait f waits_for_older_photo"),
        DecisionCase(
            "the later taken may have arrived",
            "f held outcome_unknown @9, g @1",
            is: "wait g waits_for_older_photo"
        ),
        DecisionCase("the later taken is rejected", "f rejected @9, g @1", is: "send g"),
        DecisionCase(
            "the pair is that of the later taken",
            "f @9, g @1, b | reject pair",
            is: "supersede g, reject b sides_identical, reject f sides_identical"
        ),
    ]

    @Test(arguments: byTime)
    func `Where the times of two photos of one side count, the one taken later wins`(decision: DecisionCase) {
        #expect(decision.decided == decision.expected)
    }

    private static let oneForm: [DecisionCase] = [
        DecisionCase("both are here", "f, b", is: "send f+b"),
        DecisionCase("the back was first", "b, f", is: "send f+b"),
        DecisionCase("the back may still come", "f waiting", is: "wait f waits_for_back, look in 600 s"),
        DecisionCase("the wait is over", "f", is: "send f"),
        DecisionCase("the wait is over and the back is held", "f, b held legality_unavailable", is: "send f"),
        DecisionCase("the back was delivered long ago", "front erased, back erased, f waiting", is: "send f"),
        DecisionCase("the front went alone", "front erased, b", is: "send b"),
        DecisionCase("the front is under way alone", "f delivering, b", is: "wait b waits_for_front"),
        DecisionCase("the form of both was refused", "f alone, b alone", is: "wait b waits_for_front, send f"),
        DecisionCase("the front is to go alone", "f alone, b", is: "wait b waits_for_front, send f"),
        DecisionCase("the back is to go alone", "f, b alone", is: "wait b waits_for_front, send f"),
        DecisionCase(
            "an older back may still arrive",
            "a delivering, f, b",
            is: "wait b waits_for_older_photo, send f"
        ),
        DecisionCase(
            "an older front may still arrive",
            "e delivering, f, b",
            is: "wait b waits_for_front, wait f waits_for_older_photo"
        ),
    ]

    @Test(arguments: oneForm)
    func `In one form a front waits for its back, then goes alone, and the back follows`(decision: DecisionCase) {
        var joint = decision
        joint.policy.layout = .application
        #expect(joint.decided == decision.expected)
    }

    private static let pairs: [DecisionCase] = [
        DecisionCase("refused", "f, b | reject pair", is: "reject b sides_identical, reject f sides_identical"),
        DecisionCase("held", "f, b | hold pair, application", is: "hold b sides_identical, hold f sides_identical"),
        DecisionCase("a warning decides nothing", "f, b | warn pair", is: "wait b waits_for_front, send f"),
        DecisionCase("an accepted card is exempt", "f accepted, b | hold pair", is: "hold b sides_identical, send f"),
        DecisionCase(
            "the back of a refused front waits for its retake",
            "f, b accepted | reject pair",
            is: "reject f sides_identical, wait b waits_for_front"
        ),
        DecisionCase("a delivered front stays", "f delivered, b | reject pair", is: "reject b sides_identical"),
        DecisionCase(
            "an older photo of the side has no part in it",
            "f, g, b | reject pair",
            is: "supersede f, reject b sides_identical, reject g sides_identical"
        ),
    ]

    @Test(arguments: pairs)
    func `A rule between front and back decides over the pair that remains`(decision: DecisionCase) {
        #expect(decision.decided == decision.expected)
    }

    @Test(arguments: [
        ("f, g, b", ["g", "b"]), ("f delivered, b", ["f", "b"]), ("f, g rejected, b", ["f", "b"]),
        ("f delivered, b delivered", []), ("f delivered, b accepted", []), ("f", []),
    ])
    func `The pair is the newest of each side that counts, one of them undecided`(known: String, pair: [String]) {
        let found = CaseRules.pair(in: CaseSnapshot(known))
        #expect((found.map { [$0.front.rawValue, $0.back.rawValue] } ?? []) == pair)
    }

    @Test(arguments: [("e, f, g", ["e": "g", "f": "g"]), ("f, front erased", ["f": nil])])
    func `the newest photo of a side takes the place of all others`(known: String, replaced: [String: String?]) {
        let decision = CaseRules.decide(CaseSnapshot(known), policy: CasePolicy(), now: .now)
        let found = decision.superseded.map { ($0.key.rawValue, $0.value?.rawValue) }
        #expect(Dictionary(uniqueKeysWithValues: found) == replaced)
    }
}
