import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    private struct DeliveryEnding: Sendable {
        let conclusion: DeliveryConclusion
        let state: CardState
        let reason: ReasonCode?
        let code: String
    }

    private static let endingsOfDeliveries: [DeliveryEnding] = [
        DeliveryEnding(conclusion: .delivered(code: "0000"), state: .delivered, reason: nil, code: "0000"),
        DeliveryEnding(
            conclusion: .rejected(ReasonCode(rawValue: "9001"), message: "words"),
            state: .rejected,
            reason: ReasonCode(rawValue: "9001"),
            code: "9001"
        ),
        DeliveryEnding(
            conclusion: .held(.outcomeUnknown, message: "words"),
            state: .held,
            reason: .outcomeUnknown,
            code: ReasonCode.outcomeUnknown.rawValue
        ),
    ]

    static let deliveryEndings: [Case] =
        endingsOfDeliveries.map { ending in
            Case("the members of a delivery become \(ending.state), and it is not sent again") { subject in
                try await check(ending, subject)
            }
        } + [
            Case("the members of a dissolved delivery are verified again and may go into another") { subject in
                let delivery = try await subject.delivering(try Sample(1))
                try await subject.claimOnly(delivery.id)
                _ = try await subject.store.beginAttempt(of: delivery.id, after: 0, now: .second(4))
                let members = try await subject.store.conclude(
                    delivery.id,
                    as: .dissolved,
                    attempt: .ended(.stop),
                    number: 1,
                    now: .second(5)
                )
                try expectEqual(members.map(\.state), [.verified], "the states")
                try expectEqual(members.map(\.delivery), [nil], "the delivery of the members")
                try expectEqual(try await subject.store.nextDue(for: .deliver), nil, "the next delivery")
                let next = Delivery.sample("delivery-2", of: members)
                let basis = try await subject.store.snapshot(of: .sample("CASE-1"))
                let applied = try await subject.store.apply(
                    ApplicationChange(deliveries: [next]),
                    basis: basis,
                    now: .second(6)
                )
                try expect(applied != nil, "the new delivery is formed")
                try expectEqual(try await subject.claimOnly(next.id, at: .second(6)), next, "the new delivery")
            },
            Case("a delivery that is not leased here is neither begun nor concluded") { subject in
                let delivery = try await subject.delivering(try Sample(1))
                try await expectRefusal(delivery, in: subject, by: subject.store, "a delivery nobody claimed")
                try await subject.claimOnly(delivery.id)
                try await expectRefusal(delivery, in: subject, by: try await subject.another(), "another owner's")
                _ = try await subject.store.conclude(
                    delivery.id,
                    as: .delivered(code: "0000"),
                    attempt: .accepted,
                    number: 0,
                    now: .second(4)
                )
                var ended = delivery
                ended.lastAttempt = 1
                try await expectRefusal(ended, in: subject, by: subject.store, "a delivery that has ended")
            },
            Case("an unknown delivery is neither begun nor concluded") { subject in
                let id = DeliveryID(rawValue: "nothing")
                try await expectError(.notFound, "the beginning") {
                    _ = try await subject.store.beginAttempt(of: id, after: 0, now: .second(1))
                }
                try await expectError(.notFound, "the conclusion") {
                    _ = try await subject.store.conclude(
                        id,
                        as: .dissolved,
                        attempt: .accepted,
                        number: 0,
                        now: .second(1)
                    )
                }
            },
        ]

    private static func check(_ ending: DeliveryEnding, _ subject: StoreSubject) async throws {
        let delivery = try await subject.delivering(try Sample(1))
        try await subject.claimOnly(delivery.id)
        _ = try await subject.store.beginAttempt(of: delivery.id, after: 0, now: .second(4))
        let members = try await subject.store.conclude(
            delivery.id,
            as: ending.conclusion,
            attempt: .ended(.accepted, code: "word"),
            number: 1,
            now: .second(5)
        )
        try expectEqual(members.map(\.id), delivery.members, "the members")
        let card = try await subject.card(delivery.members[0])
        try expectEqual(members, [card], "the members kept")
        try expectEqual(card.state, ending.state, "the state")
        try expectEqual(card.reason, ending.reason, "the reason")
        try expectEqual(card.message, ending.reason == nil ? nil : "words", "the message")
        try expectEqual(card.delivery, delivery.id, "the delivery")
        try expectEqual(card.changedAt, .second(5), "the time of the change")
        let events = try await subject.store.details(of: card.id)?.events.suffix(2) ?? []
        let expected = [
            CardEvent(at: .second(5), kind: "attempt", code: "word"),
            CardEvent(at: .second(5), kind: ending.state.rawValue, state: ending.state, code: ending.code),
        ]
        try expectEqual(Array(events), expected, "the last events")
        try expectEqual(try await subject.store.nextDue(for: .deliver), nil, "the next delivery")
        let left = try await subject.store.claimDeliveries(limit: 1, until: .second(99), now: .second(99))
        try expectEqual(left, [], "deliveries left")
    }

    private static func expectRefusal(
        _ delivery: Delivery,
        in subject: StoreSubject,
        by store: any CardStore,
        _ what: String
    ) async throws {
        let before = try await subject.store.details(of: delivery.members[0])
        // The last attempt there really is: what is refused is refused for want of the lease.
        let last = delivery.lastAttempt
        try await expectError(.conflict, what) {
            _ = try await store.beginAttempt(of: delivery.id, after: last, now: .second(9))
        }
        let conclusions =
            endingsOfDeliveries.map(\.conclusion) + [.dissolved, .retry(at: .second(9), costsAttempt: true)]
        for conclusion in conclusions {
            try await expectError(.conflict, what) {
                _ = try await store.conclude(
                    delivery.id,
                    as: conclusion,
                    attempt: .accepted,
                    number: last,
                    now: .second(9)
                )
            }
        }
        try expectEqual(try await subject.store.details(of: delivery.members[0]), before, "the details of \(what)")
    }
}
