import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let applications: [Case] = [
        Case("a snapshot shows the cards of one business number with side, holder and user, by intake order") {
            subject in
            try await subject.verified(try Sample(5, side: .back), reading: .front())
            try await subject.verified(try Sample(2), reading: .front(number: "11010519491231002x"))
            try await subject.verified(try Sample(3), reading: .front(number: "440524188001010014"))
            try await subject.verified(try Sample(4), reading: .back())
            try await subject.verified(try Sample(9, businessNumber: "CASE-2"))
            try await subject.admit(try Sample(1, side: .back).admission)
            let snapshot = try await subject.store.snapshot(of: .sample("CASE-1"))
            try expectEqual(snapshot.cards.map(\.intakeOrder), [1, 2, 3, 4, 5], "the order")
            try expectEqual(snapshot.cards.map(\.side), [.back, .front, .front, .back, .front], "the sides")
            try expectEqual(snapshot.cards.map(\.userNumber).first, Redacted("user-1"), "the user")
            let holders = snapshot.cards.map(\.holder)
            try expectEqual(holders.map { $0 == nil }, [true, false, false, true, false], "which holders are unknown")
            try expect(holders[1] == holders[4], "one person is one holder, however the number is written")
            try expect(holders[1] != holders[2], "two persons are two holders")
            let empty = try await subject.store.snapshot(of: .sample("CASE-3"))
            try expectEqual(empty.cards, [], "the cards of an unknown business number")
        },
        Case("the business numbers with a verified card are listed once each") { subject in
            try await subject.verified(try Sample(1))
            try await subject.verified(try Sample(2), reading: .back())
            try await subject.verified(try Sample(3, businessNumber: "CASE-2"))
            try await subject.admit(try Sample(4, businessNumber: "CASE-3").admission)
            let numbers = try await subject.store.applicationsWithVerifiedCards()
            try expectEqual(numbers.map(\.rawValue), ["CASE-1", "CASE-2"], "the business numbers")
        },
        Case("a change is applied whole: superseded, held, delivering, waiting") { subject in
            for number in 1...5 { try await subject.verified(try Sample(number)) }
            let ids = (1...5).map { CardID(rawValue: "card-\($0)") }
            let delivery = Delivery.sample(
                "delivery-1",
                of: [try await subject.card(ids[2]), try await subject.card(ids[3])]
            )
            let change = ApplicationChange(
                superseded: [ids[0]],
                held: [ids[1]],
                heldMessage: "two persons",
                deliveries: [delivery],
                waitReasons: [ids[4]: .blockedByFront]
            )
            let basis = try await subject.store.snapshot(of: .sample("CASE-1"))
            try expect(
                try await subject.store.apply(change, basis: basis, now: .second(7)) != nil,
                "the change is applied"
            )
            var cards: [Card] = []
            for id in ids { cards.append(try await subject.card(id)) }
            try expectEqual(
                cards.map(\.state),
                [.superseded, .held, .delivering, .delivering, .verified],
                "the states"
            )
            try expectEqual(
                cards.map(\.reason),
                [.superseded, .holderConflict, nil, nil, .blockedByFront],
                "the reasons"
            )
            try expectEqual(cards.map(\.message), [nil, "two persons", nil, nil, nil], "the messages")
            try expectEqual(cards.map(\.delivery), [nil, nil, delivery.id, delivery.id, nil], "the deliveries")
            let waiting = CardEvent(at: .second(7), kind: "waiting", code: ReasonCode.blockedByFront.rawValue)
            try expectEqual(try await subject.store.details(of: ids[4])?.events.last, waiting, "the last event")
        },
        Case("a wait that is over leaves no reason") { subject in
            let card = try await subject.verified(try Sample(1))
            for reason in [ReasonCode.blockedByFront, nil] {
                let basis = try await subject.store.snapshot(of: .sample("CASE-1"))
                let change = ApplicationChange(waitReasons: [card.id: reason])
                try expect(
                    try await subject.store.apply(change, basis: basis, now: .second(7)) != nil,
                    "the change is applied"
                )
                try expectEqual(try await subject.card(card.id).reason, reason, "the reason")
            }
        },
        Case("a change on a basis that is out of date is not applied") { subject in
            let card = try await subject.verified(try Sample(1))
            let basis = try await subject.store.snapshot(of: .sample("CASE-1"))
            try await subject.admit(try Sample(2).admission)
            let change = ApplicationChange(superseded: [card.id], deliveries: [.sample("delivery-1", of: [card])])
            try expect(
                try await subject.store.apply(change, basis: basis, now: .second(7)) == nil,
                "the change is not applied"
            )
            try expectEqual(try await subject.card(card.id), card, "the card")
            try expectEqual(try await subject.store.nextDue(for: .deliver), nil, "the next delivery")
        },
        Case("a change that breaks in the middle changes nothing") { subject in
            let verified = try await subject.verified(try Sample(1))
            let prepared = try await subject.admit(try Sample(2).admission)
            let stranger = try await subject.verifiedElsewhere(try Sample(3, businessNumber: "CASE-2"), but: prepared)
            let basis = try await subject.store.snapshot(of: .sample("CASE-1"))
            let before = try await subject.store.cards(matching: CardQuery())
            let changes = [
                ApplicationChange(superseded: [verified.id], held: [prepared.id]),
                ApplicationChange(deliveries: [.sample("delivery-1", of: [verified, prepared])]),
                ApplicationChange(superseded: [verified.id], waitReasons: [prepared.id: .blockedByFront]),
                ApplicationChange(held: [verified.id, stranger.id]),
                ApplicationChange(superseded: [verified.id], deliveries: [.sample("delivery-1", of: [stranger])]),
            ]
            for change in changes {
                try await expectError(.conflict, "the change") {
                    _ = try await subject.store.apply(change, basis: basis, now: .second(7))
                }
                try expectEqual(try await subject.store.cards(matching: CardQuery()), before, "the cards")
                try expectEqual(try await subject.store.nextDue(for: .deliver), nil, "the next delivery")
            }
        },
    ]
}

extension StoreSubject {
    /// Verifies a card while another card is prepared and stays so.
    fileprivate func verifiedElsewhere(_ sample: Sample, but other: Card) async throws -> Card {
        try await self.admit(sample.admission)
        _ = try await self.store.claimPrepared(limit: 9, until: .second(1000), now: .second(1))
        let card = try await self.store.conclude(
            sample.id,
            as: .judged(.front(), sample.readingKey, .accepted),
            attempt: nil,
            now: .second(1)
        )
        try await self.store.releaseLeases()
        try expectEqual(try await self.card(other.id).state, .prepared, "the state of the other card")
        return card
    }
}
