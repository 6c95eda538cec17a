import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let batches: [Case] = [
        Case("a delivery holds cards of several business numbers, and a change waits for all of them") { subject in
            let cards = [
                try await subject.verified(try Sample(1)),
                try await subject.verified(try Sample(2, businessNumber: "CASE-2")),
            ]
            let delivery = Delivery.sample("delivery-1", of: cards)
            try expectEqual(delivery.businessNumbers.map(\.rawValue), ["CASE-1", "CASE-2"], "the business numbers")
            let stale = [
                try await subject.store.snapshot(of: .sample("CASE-1")),
                try await subject.store.snapshot(of: .sample("CASE-2")),
            ]
            try await subject.admit(try Sample(3, businessNumber: "CASE-2").admission)
            let change = ApplicationChange(deliveries: [delivery])
            try expect(
                try await subject.store.apply(change, basis: stale, now: .second(2)) == nil,
                "one of two has changed"
            )
            try expectEqual(try await subject.card(cards[0].id).state, .verified, "the card of the other")
            let basis = [stale[0], try await subject.store.snapshot(of: .sample("CASE-2"))]
            try expect(
                try await subject.store.apply(change, basis: basis, now: .second(2)) != nil,
                "both are as they were"
            )
            try expectEqual(try await subject.claimOnly(delivery.id), delivery, "the delivery")
        },
        Case("a delivery of a business number outside the basis is refused") { subject in
            let cards = [
                try await subject.verified(try Sample(1)),
                try await subject.verified(try Sample(2, businessNumber: "CASE-2")),
            ]
            let basis = try await subject.store.snapshot(of: .sample("CASE-1"))
            try await expectError(.conflict, "the change") {
                let change = ApplicationChange(deliveries: [.sample("delivery-1", of: cards)])
                _ = try await subject.store.apply(change, basis: basis, now: .second(2))
            }
        },
        Case("cards answered one by one go their own ways") { subject in try await checkItems(subject) },
        Case("a delivery put off leaves no attempt, and what an earlier one may have done stays known") { subject in
            let delivery = try await subject.delivering(try Sample(1))
            try await subject.claimOnly(delivery.id)
            _ = try await subject.store.beginAttempt(of: delivery.id, after: 0, now: .second(4))
            try await subject.store.releaseLeases()
            let claimed = try await subject.claimOnly(delivery.id, at: .second(5))
            try expect(claimed.mayHaveBeenReceived, "an attempt without an outcome may have been received")
            let before = try await subject.store.details(of: delivery.members[0])?.events
            try await subject.store.postpone(delivery.id, after: 1, until: .second(50))
            try expectEqual(try await subject.store.details(of: delivery.members[0])?.events, before, "the history")
            try expectEqual(try await subject.store.nextDue(for: .deliver), .second(50), "when it is due")
            let early = try await subject.store.claimDeliveries(limit: 1, until: .second(99), now: .second(49))
            try expectEqual(early, [], "deliveries before the time")
            try expect(try await subject.claimOnly(delivery.id, at: .second(50)).mayHaveBeenReceived, "it stays known")
            let other = DeliveryID(rawValue: "nothing")
            try await expectError(.notFound, "an unknown delivery") {
                try await subject.store.postpone(other, after: 0, until: .second(60))
            }
        },
        Case("an answer that leaves a member out changes nothing") { subject in
            let delivery = try await subject.delivering(try Sample(1))
            try await subject.claimOnly(delivery.id)
            try await expectError(.conflict, "the conclusion") {
                _ = try await subject.store.conclude(
                    delivery.id,
                    as: .items([:]),
                    attempt: .accepted,
                    number: 0,
                    now: .second(4)
                )
            }
            try expectEqual(try await subject.card(delivery.members[0]).state, .delivering, "the state")
        },
        Case("a card sent away for now keeps its attempts, is seen to wait, and goes again") { subject in
            let delivery = try await subject.delivering(try Sample(1))
            let card = delivery.members[0]
            try await subject.claimOnly(delivery.id)
            let returned = MemberConclusion.returned(at: .second(50), attempts: 1)
            let members = try await subject.store.conclude(
                delivery.id,
                as: .items([card: returned]),
                attempt: .ended(.rejected),
                number: 0,
                now: .second(5)
            )
            try expectEqual(members.map(\.attempts), [1], "the attempts")
            let snapshot = try await subject.store.snapshot(of: .sample("CASE-1"))
            try expectEqual(snapshot.cards.map(\.nextAttemptAt), [.second(50)], "the time of the next attempt")
            let next = Delivery.sample("delivery-2", of: members)
            let change = ApplicationChange(deliveries: [next])
            try expect(try await subject.store.apply(change, basis: snapshot, now: .second(50)) != nil, "it goes again")
            try expectEqual(try await subject.card(card).attempts, 1, "the attempts in the new delivery")
            let after = try await subject.store.snapshot(of: .sample("CASE-1"))
            try expectEqual(after.cards.map(\.nextAttemptAt), [nil], "the wait is over")
        },
        Case("a rule between the sides rejects or holds a card, or leaves a warning") { subject in
            let ids = (1...3).map { CardID(rawValue: "card-\($0)") }
            for number in 1...3 { try await subject.verified(try Sample(number)) }
            let reason = ReasonCode(rawValue: "some_rule")
            func finding(_ severity: VerdictSeverity) -> VerdictFinding {
                VerdictFinding(reason, severity, message: "words")
            }
            let change = ApplicationChange(
                refused: [ids[0]: finding(.reject), ids[1]: finding(.hold)],
                warnings: [ids[2]: [finding(.warn)]]
            )
            let basis = try await subject.store.snapshot(of: .sample("CASE-1"))
            try expect(
                try await subject.store.apply(change, basis: basis, now: .second(7)) != nil,
                "the change is applied"
            )
            var cards: [Card] = []
            for id in ids { cards.append(try await subject.card(id)) }
            try expectEqual(cards.map(\.state), [.rejected, .held, .verified], "the states")
            try expectEqual(cards.map(\.reason), [reason, reason, nil], "the reasons")
            try expectEqual(cards.map(\.message), ["words", "words", nil], "the messages")
            let warning = CardEvent(at: .second(7), kind: "warning", code: "some_rule")
            try expectEqual(try await subject.store.details(of: ids[2])?.events.last, warning, "the warning")
        },
    ]

    private static func checkItems(_ subject: StoreSubject) async throws {
        var cards: [Card] = []
        for number in 1...4 { cards.append(try await subject.verified(try Sample(number))) }
        let delivery = Delivery.sample("delivery-1", of: cards)
        let basis = try await subject.store.snapshot(of: .sample("CASE-1"))
        let formed = try await subject.store.apply(
            ApplicationChange(deliveries: [delivery]),
            basis: basis,
            now: .second(2)
        )
        try expect(formed != nil, "the delivery is formed")
        try await subject.claimOnly(delivery.id)
        let no = ReasonCode(rawValue: "9001")
        let endings: [CardID: MemberConclusion] = [
            cards[0].id: .delivered(code: "0000"), cards[1].id: .rejected(no, message: "words"),
            cards[2].id: .held(.attemptsExhausted, message: "words"),
            cards[3].id: .returned(at: .second(9), attempts: 0),
        ]
        let members = try await subject.store.conclude(
            delivery.id,
            as: .items(endings),
            attempt: .accepted,
            number: 0,
            now: .second(5)
        )
        try expectEqual(members.map(\.id), delivery.members, "the members, in order")
        try expectEqual(members.map(\.state), [.delivered, .rejected, .held, .verified], "the states")
        try expectEqual(members.map(\.reason), [nil, no, .attemptsExhausted, nil], "the reasons")
        let id = delivery.id
        try expectEqual(members.map(\.delivery), [id, id, id, nil], "the deliveries")
        try expectEqual(try await subject.store.nextDue(for: .deliver), nil, "the next delivery")
    }
}
