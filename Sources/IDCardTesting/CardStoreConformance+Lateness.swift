import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    /// What was taken back and claimed anew by the same owner, which its lease alone does not tell.
    static let lateness: [Case] = [
        Case("a late conclusion of an attempt changes nothing once the same owner has begun another") { subject in
            let delivery = try await subject.delivering(try Sample(1))
            let card = delivery.members[0]
            let claimed = try await subject.claimOnly(delivery.id)
            let first = try await subject.store.beginAttempt(of: delivery.id, after: 0, now: .second(4))
            try expectEqual(try await subject.store.reclaimLeases(now: .second(1000)), 1, "leases taken back")
            let again = try await subject.store.claimDeliveries(limit: 9, until: .second(2000), now: .second(1001))
            try expectEqual(again.map(\.lastAttempt), [first], "the last attempt")
            let second = try await subject.store.beginAttempt(of: delivery.id, after: first, now: .second(1002))
            let before = try await subject.store.details(of: card)
            for conclusion in Self.endings(of: card) {
                try await expectError(.conflict, "the late conclusion") {
                    _ = try await subject.store.conclude(
                        delivery.id,
                        as: conclusion,
                        attempt: .ended(.unknown),
                        number: first,
                        now: .second(1003)
                    )
                }
            }
            try await expectError(.conflict, "a second beginning under the older claim") {
                _ = try await subject.store.beginAttempt(
                    of: delivery.id,
                    after: claimed.lastAttempt,
                    now: .second(1003)
                )
            }
            try await expectError(.conflict, "putting it off under the older claim") {
                try await subject.store.postpone(delivery.id, after: claimed.lastAttempt, until: .second(1004))
            }
            try expectEqual(try await subject.store.details(of: card), before, "the card")
            let cards = try await subject.store.conclude(
                delivery.id,
                as: .delivered(code: "0000"),
                attempt: .accepted,
                number: second,
                now: .second(1005)
            )
            try expectEqual(cards.map(\.state), [.delivered], "the attempt that counts is concluded")
        },
        Case("an attempt whose delivery is claimed anew, and not begun again, may still be concluded") { subject in
            let delivery = try await subject.delivering(try Sample(1))
            try await subject.claimOnly(delivery.id)
            let number = try await subject.store.beginAttempt(of: delivery.id, after: 0, now: .second(4))
            try await subject.store.releaseLeases()
            try await subject.claimOnly(delivery.id, at: .second(5))
            let cards = try await subject.store.conclude(
                delivery.id,
                as: .delivered(code: "0000"),
                attempt: .accepted,
                number: number,
                now: .second(6)
            )
            try expectEqual(cards.map(\.state), [.delivered], "what it says of the last attempt is true")
            try await expectError(.conflict, "sending it again under the newer claim") {
                _ = try await subject.store.beginAttempt(of: delivery.id, after: number, now: .second(7))
            }
        },
        Case("a late verdict changes nothing once the card was judged and claimed anew by the same owner") { subject in
            let sample = try Sample(1)
            try await subject.admit(sample.admission)
            let claimed = try require(try await subject.claim(at: .second(1)), "the first claim")
            try expectEqual(try await subject.store.reclaimLeases(now: .second(1000)), 1, "leases taken back")
            let other = try await subject.another()
            let elsewhere = try await other.claimPrepared(limit: 1, until: .second(2000), now: .second(1001))
            _ = try await other.conclude(
                try require(elsewhere.first, "the claim of another"),
                as: .retry(at: .second(1002), costsAttempt: true),
                attempt: .ended(.transient),
                now: .second(1002)
            )
            let again = try require(try await subject.claim(at: .second(1003)), "the second claim")
            let before = try await subject.store.details(of: sample.id)
            let lines = try await subject.store.accessLog(of: sample.id, after: 0, limit: 99)
            for conclusion in Self.endings(sample) {
                try await expectError(.conflict, "the late conclusion") {
                    _ = try await subject.store.conclude(
                        claimed,
                        as: conclusion,
                        attempt: .accepted,
                        now: .second(1004)
                    )
                }
            }
            try expectEqual(try await subject.store.details(of: sample.id), before, "the card")
            let linesLater = try await subject.store.accessLog(of: sample.id, after: 0, limit: 99)
            try expectEqual(linesLater, lines, "the access log")
            let card = try await subject.store.conclude(
                again,
                as: .judged(.front(), sample.readingKey, .accepted),
                attempt: .accepted,
                now: .second(1005)
            )
            try expectEqual(card.state, .verified, "the conclusion that counts")
        },
        Case("what others have leased is known by its business number, what is leased here is not counted") { subject in
            let delivery = try await subject.delivering(try Sample(1))
            try await subject.admit(try Sample(2, businessNumber: "CASE-2").admission)
            let other = try await subject.another()
            try expectEqual(try await subject.store.applicationsLeasedElsewhere(), [], "without leases")
            _ = try await other.claimPrepared(limit: 1, until: .second(99), now: .second(3))
            let card: Set<BusinessNumber> = [try .sample("CASE-2")]
            try expectEqual(try await subject.store.applicationsLeasedElsewhere(), card, "a card")
            _ = try await other.claimDeliveries(limit: 1, until: .second(99), now: .second(3))
            let both = card.union([try .sample("CASE-1")])
            try expectEqual(try await subject.store.applicationsLeasedElsewhere(), both, "a card and a delivery")
            try expectEqual(try await other.applicationsLeasedElsewhere(), [], "seen by their owner")
            try await other.releaseLeases()
            try expectEqual(try await subject.store.applicationsLeasedElsewhere(), [], "handed back")
            try expectEqual(delivery.businessNumbers, [try .sample("CASE-1")], "the number of the delivery")
        },
    ]

    private static func endings(of card: CardID) -> [DeliveryConclusion] {
        [
            .delivered(code: "0000"), .items([card: .delivered(code: "0000")]),
            .rejected(ReasonCode(rawValue: "1001"), message: "words"),
            .held(.outcomeUnknown, message: "words"), .dissolved, .retry(at: .second(2000), costsAttempt: true),
        ]
    }

    private static func endings(_ sample: Sample) -> [VerificationConclusion] {
        [
            .judged(.front(), sample.readingKey, .accepted), .rejected(ReasonCode(rawValue: "no"), message: "words"),
            .failed(.attemptsExhausted, message: "words"), .retry(at: .second(2000), costsAttempt: true),
        ]
    }
}

extension StoreSubject {
    /// Claims the one card that is due.
    fileprivate func claim(at now: Timestamp) async throws -> Card? {
        try await self.store.claimPrepared(limit: 1, until: now.advanced(by: .seconds(900)), now: now).first
    }
}
