import CardModel
import Testing

/// One case for each sentence of the rules that says what never, only or first happens to the cards of a number.
@Suite struct ApplicationRulesTests {
    private static let unverified = [CardState.fetching, .received, .prepared]

    private static let firstRule: [DecisionCase] =
        Self.unverified.flatMap { state in
            [
                DecisionCase(
                    "\(state) of unknown side",
                    [.front(), .back(), .sideless("x", state)],
                    is: "wait b waits_for_verification, wait f waits_for_verification"
                ),
                DecisionCase(
                    "\(state), and the front is delivered",
                    [.back(), .front("g", state, order: 3)],
                    delivered: [.front: 1],
                    is: "wait b waits_for_verification"
                ),
                DecisionCase(
                    "\(state), and a person let the back go",
                    [.back { $0.goesWithoutFront = true }, .sideless("x", state)],
                    backs: .send,
                    is: "wait b waits_for_verification"
                ),
                DecisionCase(
                    "\(state), in one form",
                    [.front(), .back(), .sideless("x", state)],
                    layout: .application,
                    is: "wait b waits_for_verification, wait f waits_for_verification"
                ),
            ]
        } + [
            DecisionCase(
                "another submitter's",
                [.front(), .front("x", .held, order: 3) { $0.reason = .submitterConflict }],
                is: "send f"
            )
        ]

    @Test(arguments: firstRule)
    func `Nothing goes while a known card is still to be fetched, prepared or verified`(decision: DecisionCase) {
        #expect(decision.decided == decision.expected)
    }

    private static let accepted: @Sendable (inout ApplicationCard) -> Void = { $0.isAccepted = true }

    private static let secondRule: [DecisionCase] = [
        DecisionCase(
            "two fronts and a back",
            [.front(), .front("g", order: 2), .back(order: 3)],
            isDisputed: true,
            is: "hold b holder_conflict, hold f holder_conflict, hold g holder_conflict"
        ),
        DecisionCase(
            "a later card, whose fronts are erased",
            [.front()],
            isDisputed: true,
            delivered: [.front: 0],
            is: "hold f holder_conflict"
        ),
        DecisionCase(
            "one accepted front",
            [.front(change: accepted), .front("g", order: 2), .back(order: 3)],
            isDisputed: true,
            is: "hold b holder_conflict, hold g holder_conflict, send f"
        ),
        DecisionCase(
            "an accepted back of a delivered front",
            [.back(change: accepted), .back("c", order: 3)],
            isDisputed: true,
            delivered: [.front: 1],
            is: "hold c holder_conflict, send b"
        ),
        DecisionCase(
            "an accepted back whose front is not",
            [.front(), .back(change: accepted)],
            isDisputed: true,
            is: "hold f holder_conflict, wait b waits_for_front"
        ),
        DecisionCase(
            "a card that awaits verification",
            [.front(), .sideless("x", .prepared)],
            isDisputed: true,
            is: "hold f holder_conflict"
        ),
    ]

    @Test(arguments: secondRule)
    func `Of a disputed number each card is held until a person accepts that very card`(decision: DecisionCase) {
        #expect(decision.decided == decision.expected)
    }

    private static let fourthRule: [DecisionCase] =
        [CardState.rejected, .failed, .superseded].map { state in
            DecisionCase("its front is \(state)", [.front("f", state), .back()], is: "wait b front_missing")
        }
        + [CardState.delivering, .held].map { state in
            DecisionCase("its front is \(state)", [.front("f", state), .back()], is: "wait b waits_for_front")
        } + [
            DecisionCase(
                "its front is another submitter's",
                [.front("f", .held) { $0.reason = .submitterConflict }, .back()],
                is: "wait b front_missing"
            ),
            DecisionCase("its front is verified", [.front(), .back()], is: "wait b waits_for_front, send f"),
            DecisionCase("no front", [.back()], is: "wait b front_missing"),
            DecisionCase(
                "a photo of neither side was rejected",
                [.sideless("x", .rejected), .back()],
                is: "wait b front_missing"
            ),
            DecisionCase(
                "no front, but one may still come",
                [.back { $0.wait = .open }],
                is: "wait b waits_for_front, look in 600 s"
            ),
            DecisionCase(
                "a front was delivered",
                [.front("f", .delivered), .back()],
                delivered: [.front: 1],
                is: "send b"
            ),
            DecisionCase("a delivered front was erased", [.back()], delivered: [.front: 1], is: "send b"),
            DecisionCase("a person let it go", [.back { $0.goesWithoutFront = true }], is: "send b"),
            DecisionCase("a person accepted it once", [.back(change: accepted)], is: "wait b front_missing"),
            DecisionCase("the backend takes backs alone", [.back()], backs: .send, is: "send b"),
            DecisionCase(
                "the backend takes backs alone, but a front may come",
                [.back { $0.wait = .open }],
                backs: .send,
                is: "wait b waits_for_front, look in 600 s"
            ),
            DecisionCase(
                "the backend takes backs alone, and the front is here",
                [.front(), .back()],
                backs: .send,
                is: "wait b waits_for_front, send f"
            ),
            DecisionCase(
                "several cards of other accounts share a form",
                [.front(), .back()],
                layout: .batch,
                is: "wait b waits_for_front, send f"
            ),
        ]

    @Test(arguments: fourthRule)
    func `A back goes only after a front of its number was delivered, unless a person or a setting says so`(
        decision: DecisionCase
    ) {
        #expect(decision.decided == decision.expected)
    }

    @Test func `A card that the backend sent away for now waits until it is due, and is looked at then`() {
        let card = ApplicationCard.front { $0.due = .open }
        #expect(DecisionCase("", [card], is: "").decided == "wait f due, look in 600 s")
        let back = ApplicationCard.back { $0.due = .open }
        let pair = DecisionCase("", [.front(), back], layout: .application, is: "")
        #expect(pair.decided == "wait b due, wait f due, look in 600 s")
    }

    @Test func `Without a card that is verified nothing is decided`() {
        let states = CardState.allCases.filter { $0 != .verified }
        let cards = states.enumerated().map { ApplicationCard.front("\($0)", $1, order: Int64($0)) }
        #expect(DecisionCase("", cards, isDisputed: true, is: "").decided == "")
    }
}
