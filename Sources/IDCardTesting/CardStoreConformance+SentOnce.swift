import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    /// What a person or a sender does must not have anything sent twice.
    static let sentOnce: [Case] = [
        Case("a card that a person rejected stays so, whatever a sender says") { subject in
            let sample = try Sample(1)
            try await subject.judged(sample, .held(.legalityUnavailable, message: "sample"))
            _ = try await subject.store.resolve(sample.id, as: .reject, by: .tester, now: .second(5))
            try await expectStaysRejected(sample, subject)
        },
        Case("a rejected card that may be at the backend does not go again under another key") { subject in
            let delivery = try await subject.heldUnknown()
            let card = delivery.members[0]
            _ = try await subject.store.resolve(card, as: .reject, by: .tester, now: .second(5))
            try await expectStaysRejected(try Sample(1), subject)
        },
        Case("a card refused after an attempt of unknown outcome does not go again under another key") { subject in
            let sample = try Sample(1)
            let delivery = try await subject.delivering(sample)
            try await subject.claimOnly(delivery.id)
            _ = try await subject.store.beginAttempt(of: delivery.id, after: 0, now: .second(3))
            _ = try await subject.store.conclude(
                delivery.id,
                as: .retry(at: .second(4), costsAttempt: true),
                attempt: .ended(.unknown),
                number: 1,
                now: .second(4)
            )
            try await subject.claimOnly(delivery.id, at: .second(5))
            _ = try await subject.store.beginAttempt(of: delivery.id, after: 1, now: .second(5))
            _ = try await subject.store.conclude(
                delivery.id,
                as: .rejected(ReasonCode(rawValue: "1001"), message: "no"),
                attempt: .ended(.rejected),
                number: 2,
                now: .second(6)
            )
            try await expectStaysRejected(sample, subject)
        },
        Case("a kept delivery that a member has left is not sent again; the rest goes in another") { subject in
            let (delivery, cards) = try await subject.pairDelivering()
            try await subject.claimOnly(delivery.id)
            _ = try await subject.store.beginAttempt(of: delivery.id, after: 0, now: .second(3))
            _ = try await subject.store.conclude(
                delivery.id,
                as: .items([
                    cards[0]: .returned(at: .second(4), attempts: 0),
                    cards[1]: .held(.outcomeUnknown, message: "sample"),
                ]),
                attempt: .ended(.unknown),
                number: 1,
                now: .second(4)
            )
            try await expectError(.conflict, "sending it again") {
                _ = try await subject.store.resolve(cards[1], as: .resend, by: .tester, now: .second(5))
            }
            let left = try await subject.store.claimDeliveries(limit: 9, until: .second(99), now: .second(6))
            try expectEqual(left, [], "deliveries to be sent")
            let accepted = try await subject.store.resolve(cards[1], as: .accept, by: .tester, now: .second(7))
            try expectEqual(accepted.map(\.state), [.verified], "the state of the rest")
            try expectEqual(accepted.map(\.delivery), [nil], "the delivery of the rest")
        },
        Case("an older photo is not sent again while or after a newer one is sent") { subject in
            let older = try await subject.heldUnknown().members[0]
            let newer = try await subject.delivering(try Sample(2), key: "delivery-2")
            for isDelivered in [false, true] {
                if isDelivered { try await subject.delivered(newer) }
                try await expectError(.conflict, "sending the older one again, delivered: \(isDelivered)") {
                    _ = try await subject.store.resolve(older, as: .resend, by: .tester, now: .second(9))
                }
            }
            let rejected = try await subject.store.resolve(older, as: .reject, by: .tester, now: .second(10))
            try expectEqual(rejected.map(\.state), [.rejected], "the state once it is decided")
        },
    ]

    private static func expectStaysRejected(_ sample: Sample, _ subject: StoreSubject) async throws {
        try await expectError(.conflict, "doing it again") {
            _ = try await subject.store.retry(sample.id, by: .tester, now: .second(19))
        }
        var newer = sample.admission.metadata
        newer.expectedName = Redacted("样本甲")
        var expected = try await subject.card(sample.id)
        expected.metadata = newer
        let card = try await subject.store.update(sample.id, with: newer, now: .second(20))
        try expectEqual(card, expected, "the card after a newer sending")
        try expectEqual([card.state], [.rejected], "the state")
        let due = try await subject.store.claimPrepared(limit: 9, until: .second(99), now: .second(21))
        try expectEqual(due, [], "cards to be verified")
    }
}
