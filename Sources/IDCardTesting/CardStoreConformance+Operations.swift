import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let operations: [Case] = [
        Case("a rejected card that is done again starts over, and keeps its reading") { subject in
            let sample = try Sample(1)
            try await subject.judged(sample, .rejected(ReasonCode(rawValue: "sample"), message: "sample"))
            let card = try await subject.store.retry(sample.id, by: .tester, now: .second(5))
            try expectEqual(card.state, .prepared, "the state")
            try expectEqual(card.reason, nil, "the reason")
            try expectEqual(card.side, nil, "the side")
            try expectEqual(card.attempts, 0, "the attempts")
            try expect(try await subject.store.reading(for: sample.readingKey) != nil, "the reading is kept")
            let details = try await subject.store.details(of: sample.id)
            try expectEqual(details?.events.last?.kind, "retried", "the event")
            let lines = try await subject.store.accessLog(of: sample.id, after: 1, limit: 9)
            try expectEqual(lines.map(\.action), [.retry], "the access log")
            try expectEqual(lines.map(\.origin), [.tester], "who and why")
            try await subject.claimOnly(sample.id, at: .second(6))
        },
        Case("a failed card that is done again has all its attempts") { subject in
            let sample = try Sample(1)
            try await subject.admit(sample.admission)
            try await subject.claimOnly(sample.id)
            let failed = try await subject.store.conclude(
                sample.id,
                as: .failed(.attemptsExhausted, message: "sample"),
                attempt: .ended(.transient),
                now: .second(2)
            )
            try expectEqual(failed.attempts, 1, "the attempts before")
            let card = try await subject.store.retry(sample.id, by: .tester, now: .second(5))
            try expectEqual([card.attempts], [0], "the attempts")
            try expectEqual(card.state, .prepared, "the state")
        },
        Case("a card that waits for its next attempt is due at once when it is retried, and keeps its attempts") {
            subject in
            let sample = try Sample(1)
            try await subject.admit(sample.admission)
            try await subject.claimOnly(sample.id)
            _ = try await subject.store.conclude(
                sample.id,
                as: .retry(at: .second(900), costsAttempt: true),
                attempt: .ended(.transient),
                now: .second(2)
            )
            let card = try await subject.store.retry(sample.id, by: .tester, now: .second(5))
            try expectEqual(card.state, .prepared, "the state")
            try expectEqual(card.attempts, 1, "the attempts")
            try await subject.claimOnly(sample.id, at: .second(6))
            try await expectError(.conflict, "a card that does not wait") {
                _ = try await subject.store.retry(sample.id, by: .tester, now: .second(7))
            }
        },
        Case("what is due later than the clock says is due at once when the clock went back") { subject in
            let sample = try Sample(1)
            let ahead = Timestamp.second(365 * 86_400)
            try await subject.store.see(ahead, believing: true)
            try await subject.admit(sample.admission, at: ahead)
            try await subject.claimOnly(sample.id, at: ahead)
            _ = try await subject.store.conclude(
                sample.id,
                as: .retry(at: ahead.advanced(by: .seconds(30)), costsAttempt: true),
                attempt: .ended(.transient),
                now: ahead
            )
            let seen = try await subject.store.see(.second(5), believing: false)
            try expectEqual(seen, SeenTime(last: .second(5)), "the time seen")
            try await subject.claimOnly(sample.id, at: .second(6))
        },
        Case("a jump of more than a week is not believed before a person says so") { subject in
            try await subject.store.see(.second(0), believing: false)
            let ahead = Timestamp.second(60 * 86_400)
            var seen = try await subject.store.see(ahead, believing: false)
            try expectEqual(seen.last, .second(0), "the time believed")
            seen = try await subject.store.see(ahead, believing: true)
            try expectEqual(seen, SeenTime(last: ahead), "the time said to be right")
            seen = try await subject.store.see(ahead, believing: false)
            try expectEqual(seen, SeenTime(last: ahead), "the time kept")
        },
        Case("a card older than a delivered one of its side is not done again") { subject in
            let older = try Sample(1, side: .front)
            try await subject.judged(older, .rejected(ReasonCode(rawValue: "sample"), message: "sample"))
            let delivery = try await subject.delivering(try Sample(2))
            try await subject.delivered(delivery)
            try await expectError(.conflict, "the older photo") {
                _ = try await subject.store.retry(older.id, by: .tester, now: .second(9))
            }
            let otherSide = try Sample(3, side: .back)
            try await subject.judged(
                otherSide,
                .rejected(ReasonCode(rawValue: "sample"), message: "x"),
                reading: .back()
            )
            let card = try await subject.store.retry(otherSide.id, by: .tester, now: .second(10))
            try expectEqual(card.state, .prepared, "the other side")
        },
        Case("what has work left, or never had an image, is not done again") { subject in
            let refused = Admission.Content.refused(ReasonCode(rawValue: "sample"), message: "sample")
            for sample in [try Sample(1), try Sample(2, content: refused)] {
                try await subject.admit(sample.admission)
                try await expectError(.conflict, "card \(sample.id)") {
                    _ = try await subject.store.retry(sample.id, by: .tester, now: .second(9))
                }
            }
            try await expectError(.notFound, "nobody") {
                _ = try await subject.store.retry(CardID(rawValue: "nobody"), by: .tester, now: .second(9))
            }
            try expectEqual(try await subject.store.accessLog(of: nil, after: 0, limit: 9), [], "the access log")
        },
        Case("a card held by its verdict becomes verified once a person accepts it, and stays accepted") { subject in
            let sample = try Sample(1)
            try await subject.judged(sample, .held(.legalityUnavailable, message: "sample"))
            let cards = try await subject.store.resolve(sample.id, as: .accept, by: .tester, now: .second(5))
            try expectEqual(cards.map(\.state), [.verified], "the state")
            let snapshot = try await subject.store.snapshot(of: sample.admission.metadata.businessNumber)
            try expectEqual(snapshot.cards.map(\.isAccepted), [true], "accepted")
            let lines = try await subject.store.accessLog(of: sample.id, after: 1, limit: 9)
            try expectEqual(lines.map(\.action), [.resolve], "the access log")
        },
        Case("a card held by its verdict can be done again or rejected") { subject in
            let sample = try Sample(1)
            try await subject.judged(sample, .held(.legalityUnavailable, message: "sample"))
            let again = try await subject.store.retry(sample.id, by: .tester, now: .second(5))
            try expectEqual(again.state, .prepared, "done again")
            let other = try Sample(2)
            try await subject.admit(other.admission)
            _ = try await subject.store.claimPrepared(limit: 9, until: .second(99), now: .second(6))
            _ = try await subject.store.conclude(
                other.id,
                as: .judged(.front(), other.readingKey, .held(.legalityUnavailable, message: "sample")),
                attempt: nil,
                now: .second(7)
            )
            let rejected = try await subject.store.resolve(other.id, as: .reject, by: .tester, now: .second(8))
            try expectEqual(rejected.map(\.state), [.rejected], "rejected")
            try expectEqual(rejected.map(\.reason), [.rejectedByOperator], "the reason")
        },
        Case("a delivery of unknown outcome is sent again as it is, also by a policy that asks a person") { subject in
            let delivery = try await subject.heldUnknown()
            let card = delivery.members[0]
            let again = try await subject.store.resolve(card, as: .resend, by: .tester, now: .second(9))
            try expectEqual(again.map(\.state), [.delivering], "the state")
            let claimed = try await subject.claimOnly(delivery.id, at: .second(10))
            var expected = delivery
            expected.mayHaveBeenReceived = true
            // The order to send it again counts among the attempts.
            expected.lastAttempt = 2
            try expectEqual(claimed, expected, "the delivery, byte for byte")
            _ = try await subject.store.beginAttempt(of: delivery.id, after: 2, now: .second(10))
            _ = try await subject.store.conclude(
                delivery.id,
                as: .held(.outcomeUnknown, message: "sample"),
                attempt: .ended(.unknown),
                number: 3,
                now: .second(11)
            )
            _ = try await subject.store.resolve(card, as: .resend, by: .tester, now: .second(12))
            try await subject.claimOnly(delivery.id, at: .second(13))
            _ = try await subject.store.beginAttempt(of: delivery.id, after: 4, now: .second(13))
            try await subject.store.releaseLeases()
            let asked = try await subject.claimOnly(delivery.id, at: .second(14))
            try expect(asked.awaitsDecision, "what happened since the decision awaits another")
        },
        Case("a delivery of unknown outcome is settled by what a person found at the backend") { subject in
            let delivery = try await subject.heldUnknown()
            let card = delivery.members[0]
            try await expectError(.conflict, "doing it again") {
                _ = try await subject.store.retry(card, by: .tester, now: .second(9))
            }
            try await expectError(.conflict, "accepting it") {
                _ = try await subject.store.resolve(card, as: .accept, by: .tester, now: .second(9))
            }
            let cards = try await subject.store.resolve(card, as: .delivered, by: .tester, now: .second(9))
            try expectEqual(cards.map(\.state), [.delivered], "the state")
            try await expectError(.conflict, "deciding twice") {
                _ = try await subject.store.resolve(card, as: .resend, by: .tester, now: .second(10))
            }
            let due = try await subject.store.claimDeliveries(limit: 9, until: .second(99), now: .second(11))
            try expectEqual(due, [], "deliveries left")
        },
        Case("a delivery sent again moves only the members that are still held") { subject in
            let (delivery, cards) = try await subject.pairDelivering()
            try await subject.claimOnly(delivery.id)
            _ = try await subject.store.beginAttempt(of: delivery.id, after: 0, now: .second(3))
            _ = try await subject.store.conclude(
                delivery.id,
                as: .items([
                    cards[0]: .delivered(code: "0000"), cards[1]: .held(.outcomeUnknown, message: "sample"),
                ]),
                attempt: .ended(.unknown),
                number: 1,
                now: .second(4)
            )
            _ = try await subject.store.resolve(cards[1], as: .resend, by: .tester, now: .second(5))
            try await subject.claimOnly(delivery.id, at: .second(6))
            _ = try await subject.store.beginAttempt(of: delivery.id, after: 2, now: .second(6))
            let moved = try await subject.store.conclude(
                delivery.id,
                as: .delivered(code: "0000"),
                attempt: .accepted,
                number: 3,
                now: .second(7)
            )
            try expectEqual(moved.map(\.id), [cards[1]], "the cards that moved")
            try expectEqual(try await subject.card(cards[0]).changedAt, .second(4), "the card delivered before")
        },
        Case("a card that is not held waits for no decision") { subject in
            let sample = try Sample(1)
            try await subject.admit(sample.admission)
            for resolution in Resolution.allCases {
                try await expectError(.conflict, "\(resolution)") {
                    _ = try await subject.store.resolve(sample.id, as: resolution, by: .tester, now: .second(9))
                }
            }
        },
    ]
}

extension StoreSubject {
    /// Admits, claims and judges a card.
    @discardableResult
    func judged(_ sample: Sample, _ verdict: Verdict, reading: CardReading = .front()) async throws -> Card {
        try await self.admit(sample.admission)
        try await self.claimOnly(sample.id)
        return try await self.store.conclude(
            sample.id,
            as: .judged(reading, sample.readingKey, verdict),
            attempt: .accepted,
            now: .second(1)
        )
    }

    /// Sends a delivery that is open.
    func delivered(_ delivery: Delivery) async throws {
        try await self.claimOnly(delivery.id)
        _ = try await self.store.beginAttempt(of: delivery.id, after: 0, now: .second(3))
        _ = try await self.store.conclude(
            delivery.id,
            as: .delivered(code: "0000"),
            attempt: .accepted,
            number: 1,
            now: .second(4)
        )
    }

    /// Sends a delivery of one card, whose outcome nobody knows.
    func heldUnknown() async throws -> Delivery {
        let delivery = try await self.delivering(try Sample(1))
        try await self.claimOnly(delivery.id)
        _ = try await self.store.beginAttempt(of: delivery.id, after: 0, now: .second(3))
        _ = try await self.store.conclude(
            delivery.id,
            as: .held(.outcomeUnknown, message: "sample"),
            attempt: .ended(.unknown),
            number: 1,
            now: .second(4)
        )
        return delivery
    }
}
