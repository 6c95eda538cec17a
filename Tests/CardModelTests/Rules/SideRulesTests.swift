import CardModel
import Testing

/// Two photos of one side, front against back, and both in one form.
@Suite struct SideRulesTests {
    private static func held(_ reason: ReasonCode) -> (inout ApplicationCard) -> Void { { $0.reason = reason } }

    private static let sameSide: [DecisionCase] = [
        DecisionCase("both verified", [.front(), .front("g", order: 2)], is: "supersede f, send g"),
        DecisionCase(
            "the newer awaits verification",
            [.front(), .front("g", .prepared, order: 2)],
            is: "wait f waits_for_verification"
        ),
        DecisionCase(
            "the older is verified later",
            [.front(), .front("g", .delivering, order: 2)],
            is: "supersede f"
        ),
        DecisionCase(
            "the older is verified after the newer was delivered and erased",
            [.front()],
            delivered: [.front: 2],
            is: "supersede f"
        ),
        DecisionCase("the newer is rejected", [.front(), .front("g", .rejected, order: 2)], is: "send f"),
        DecisionCase(
            "the older is on its way",
            [.front("f", .delivering), .front("g", order: 2)],
            is: "wait g waits_for_older_photo"
        ),
        DecisionCase(
            "nobody knows whether the older arrived",
            [.front("f", .held, change: held(.outcomeUnknown)), .front("g", order: 2)],
            is: "wait g waits_for_older_photo"
        ),
        DecisionCase(
            "the older came back from a backup",
            [.front("f", .held, change: held(.restored)), .front("g", order: 2)],
            is: "wait g waits_for_older_photo"
        ),
        DecisionCase(
            "the older waits for a person who has not sent it",
            [.front("f", .held, change: held(VerdictRule.legalityUnavailable.reason)), .front("g", order: 2)],
            is: "send g"
        ),
        DecisionCase(
            "the older was delivered",
            [.front("f", .delivered), .front("g", order: 2)],
            delivered: [.front: 1],
            is: "send g"
        ),
        DecisionCase(
            "backs among themselves",
            [.back("b", order: 1), .back("c", order: 2), .front("f", .delivered, order: 3)],
            delivered: [.front: 3],
            is: "supersede b, send c"
        ),
        DecisionCase(
            "an older back is on its way",
            [.back("b", .delivering, order: 1), .back("c", order: 2)],
            delivered: [.front: 0],
            is: "wait c waits_for_older_photo"
        ),
        DecisionCase(
            "another person's photo does not replace an accepted one",
            [.front { $0.isAccepted = true }, .front("g", order: 2)],
            isDisputed: true,
            is: "hold g holder_conflict, send f"
        ),
    ]

    @Test(arguments: sameSide)
    func `Of two photos of one side the later taken in wins, and never overtakes one that may still arrive`(
        decision: DecisionCase
    ) {
        #expect(decision.decided == decision.expected)
    }

    private static let oneForm: [DecisionCase] = [
        DecisionCase("both are here", [.front(), .back()], is: "send f+b"),
        DecisionCase("the back was first", [.front(order: 2), .back(order: 1)], is: "send f+b"),
        DecisionCase(
            "the back may still come",
            [.front { $0.wait = .open }],
            is: "wait f waits_for_back, look in 600 s"
        ),
        DecisionCase("the wait is over", [.front()], is: "send f"),
        DecisionCase(
            "the wait is over and the back is held",
            [.front(), .back("b", .held, change: held(VerdictRule.legalityUnavailable.reason))],
            is: "send f"
        ),
        DecisionCase(
            "the back was delivered long ago",
            [.front(order: 3) { $0.wait = .open }],
            delivered: [.front: 1, .back: 2],
            is: "send f"
        ),
        DecisionCase("the front went alone", [.back()], delivered: [.front: 1], is: "send b"),
        DecisionCase(
            "the front is under way alone",
            [.front("f", .delivering), .back()],
            is: "wait b waits_for_front"
        ),
        DecisionCase(
            "the form of both was refused as a whole",
            [.front { $0.goesAlone = true }, .back { $0.goesAlone = true }],
            is: "wait b waits_for_front, send f"
        ),
        DecisionCase(
            "the front is to go alone",
            [.front { $0.goesAlone = true }, .back()],
            is: "wait b waits_for_front, send f"
        ),
        DecisionCase(
            "the back is to go alone",
            [.front(), .back { $0.goesAlone = true }],
            is: "wait b waits_for_front, send f"
        ),
        DecisionCase(
            "an older back may still arrive",
            [.back("a", .delivering, order: 0), .front(), .back()],
            is: "wait b waits_for_older_photo, send f"
        ),
        DecisionCase(
            "an older front may still arrive",
            [.front("e", .delivering, order: 0), .front(), .back()],
            is: "wait b waits_for_front, wait f waits_for_older_photo"
        ),
    ]
    .map { decision in
        var joint = decision
        joint.policy.layout = .application
        return joint
    }

    @Test(arguments: oneForm)
    func `In one form a front waits for its back for a while, then goes alone, and the back follows`(
        decision: DecisionCase
    ) {
        #expect(decision.decided == decision.expected)
    }

    private static func finding(_ severity: VerdictSeverity) -> VerdictFinding {
        VerdictFinding(VerdictRule.sidesIdentical.reason, severity, message: "the same picture; take two")
    }

    private static let pairs: [DecisionCase] = [
        DecisionCase(
            "refused",
            [.front(), .back()],
            pair: [finding(.reject)],
            is: "reject b sides_identical, reject f sides_identical"
        ),
        DecisionCase(
            "held",
            [.front(), .back()],
            pair: [finding(.hold)],
            layout: .application,
            is: "hold b sides_identical, hold f sides_identical"
        ),
        DecisionCase(
            "a warning decides nothing",
            [.front(), .back()],
            pair: [finding(.warn)],
            is: "wait b waits_for_front, send f"
        ),
        DecisionCase(
            "an accepted card is exempt",
            [.front { $0.isAccepted = true }, .back()],
            pair: [finding(.hold)],
            is: "hold b sides_identical, send f"
        ),
        DecisionCase(
            "a refused front is no front to wait for",
            [.front(), .back { $0.isAccepted = true }],
            pair: [finding(.reject)],
            is: "reject f sides_identical, wait b front_missing"
        ),
        DecisionCase(
            "a delivered front stays",
            [.front("f", .delivered), .back()],
            delivered: [.front: 1],
            pair: [finding(.reject)],
            is: "reject b sides_identical"
        ),
        DecisionCase(
            "an older photo of the side has no part in it",
            [.front(), .front("g", order: 3), .back()],
            pair: [finding(.reject)],
            is: "supersede f, reject b sides_identical, reject g sides_identical"
        ),
    ]

    @Test(arguments: pairs)
    func `A rule between front and back decides over the pair that remains`(decision: DecisionCase) {
        #expect(decision.decided == decision.expected)
    }

    @Test func `The pair is the newest of each side that goes or has gone, and one of the two is still to be decided`()
    {
        func pair(_ cards: [ApplicationCard]) -> [String] {
            ApplicationRules.pair(in: ApplicationSnapshot(cards: cards)).map { [$0.front.rawValue, $0.back.rawValue] }
                ?? []
        }
        #expect(pair([.front(), .front("g", order: 3), .back()]) == ["g", "b"])
        #expect(pair([.front("f", .delivered), .back()]) == ["f", "b"])
        #expect(pair([.front(), .front("g", .rejected, order: 3), .back()]) == ["f", "b"])
        #expect(pair([.front("f", .delivered), .back("b", .delivered)]) == [])
        #expect(pair([.front("f", .delivered), .back { $0.isAccepted = true }]) == [])
        #expect(pair([.front()]) == [])
    }

    @Test func `the newest photo of a side takes the place of all others, and is named if it is there`() {
        let fronts = [(Int64(1), "a"), (2, "b"), (3, "c")].map { ApplicationCard.front($1, order: $0) }
        let snapshot = ApplicationSnapshot(cards: fronts)
        let decision = ApplicationRules.decide(snapshot, policy: ApplicationPolicy(), now: .now)
        let (a, b, c) = (fronts[0].id, fronts[1].id, fronts[2].id)
        #expect(decision.superseded == [a: c, b: c])
        let erased = ApplicationSnapshot(cards: [fronts[0]], delivered: [.front: 9])
        let alone = ApplicationRules.decide(erased, policy: ApplicationPolicy(), now: .now)
        #expect(alone.superseded == [a: CardID?.none])
    }
}
