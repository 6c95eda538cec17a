import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    /// A way by which a newer sending of the same bytes reaches its card.
    private struct Sending: Sendable {
        let name: String
        let send: @Sendable (any CardStore, Admission, Timestamp) async throws -> Card?
    }

    private static let sendings = [
        Sending(name: "an update") { try await $0.update($1.id, with: $1.metadata, now: $2) },
        Sending(name: "recognised bytes") { store, newer, now in
            try await store.recognise(newer.sourceDigest, metadata: newer.metadata, file: nil, now: now)
        },
        Sending(name: "a duplicate admission") { store, newer, now in
            switch try await store.admit(newer, now: now) {
            case .admitted: throw ConformanceFailure(message: "the bytes count as new", location: "admit")
            case .duplicate(let card): card
            }
        },
    ]

    static let metadata: [Case] =
        sendings.flatMap { sending in
            [
                Case("what \(sending.name) says is taken over before a card is in a delivery") {
                    try await checkTakeover(sending, $0)
                },
                Case("a rejected card whose verdict may differ after \(sending.name) is judged again") {
                    try await checkRejudging(sending, $0)
                },
                Case("a verified card whose verdict may differ after \(sending.name) is judged again") {
                    try await checkReverifying(sending, $0)
                },
                Case("a card that is leased keeps its state and its lease at \(sending.name)") {
                    try await checkLeased(sending, $0)
                },
                Case("nothing is taken over by \(sending.name) from the delivery on") {
                    try await checkLater(sending, $0)
                },
            ]
        } + [
            Case("a judged card whose verdict cannot differ stays where it is") { subject in
                let sample = try Sample(1, side: .front)
                let verified = try await subject.verified(sample)
                var newer = sample.admission
                newer.metadata.priority = 7
                newer.metadata.userNumber = Redacted("user-9")
                var expected = verified
                expected.metadata = newer.metadata
                let card = try await subject.store.update(sample.id, with: newer.metadata, now: .second(20))
                try expectEqual(card, expected, "the card")
                let event = CardEvent(at: .second(20), kind: "metadata")
                try expectEqual(try await subject.store.details(of: sample.id)?.events.last, event, "the last event")
            },
            Case("a card refused at intake has nothing to be judged by and stays rejected") { subject in
                let reason = ReasonCode(rawValue: "unsupported_format")
                let sample = try Sample(1, content: .refused(reason, message: "send a JPEG"))
                var expected = try await subject.admit(sample.admission)
                expected.metadata.side = .back
                let card = try await subject.store.update(sample.id, with: expected.metadata, now: .second(20))
                try expectEqual(card, expected, "the card")
                try expectEqual(try await subject.store.nextDue(for: .verify), nil, "the next verification")
            },
            Case("a card that the backend refused is judged again and forgets its delivery") { subject in
                let sample = try Sample(1)
                let delivery = try await subject.delivering(sample)
                try await end(delivery.id, as: .rejected(ReasonCode(rawValue: "1001"), message: "no"), subject)
                var newer = sample.admission.metadata
                newer.expectedName = Redacted("样本甲")
                let card = try await subject.store.update(sample.id, with: newer, now: .second(20))
                try expectEqual(card, rejudged(sample.admission, with: newer, at: .second(20)), "the card")
                try await subject.claimOnly(sample.id, at: .second(20))
            },
            Case("an unknown card cannot be updated") { subject in
                let newer = try Sample(1).admission
                try await expectError(.notFound, "the update") {
                    _ = try await subject.store.update(newer.id, with: newer.metadata, now: .second(1))
                }
                try expectEqual(try await subject.store.stateCounts(), [:], "the counts")
            },
        ]
}

// MARK: - Promises kept by every way

extension CardStoreConformance {
    private static func checkTakeover(_ sending: Sending, _ subject: StoreSubject) async throws {
        let sample = try Sample(1, priority: 2)
        var expected = try await subject.admit(sample.admission)
        var newer = sample.admission
        newer.metadata = CardMetadata(
            businessNumber: newer.metadata.businessNumber,
            userNumber: Redacted("somebody else"),
            expectedIDNumber: Redacted("11010519491231002X"),
            expectedName: Redacted("样本甲"),
            side: .back,
            priority: 9
        )
        expected.metadata = newer.metadata
        try expectEqual(try await sending.send(subject.store, newer, .second(1)), expected, "the card")
        // What is not said changes nothing, and neither does what was said before.
        var silent = newer
        silent.metadata = CardMetadata(businessNumber: newer.metadata.businessNumber)
        for again in [silent, newer] {
            try expectEqual(try await sending.send(subject.store, again, .second(2)), expected, "the card after it")
        }
        try expectEqual(try await subject.card(sample.id), expected, "the card kept")
        let history = [
            CardEvent(at: .second(0), kind: "admitted", state: .prepared), CardEvent(at: .second(1), kind: "metadata"),
        ]
        try expectEqual(try await subject.store.details(of: sample.id)?.events, history, "the events")
        let snapshot = try await subject.store.snapshot(of: newer.metadata.businessNumber)
        try expectEqual(snapshot.cards.map(\.userNumber), [newer.metadata.userNumber], "the user in the snapshot")
        try expectEqual(snapshot.cards.map(\.side), [.back], "the side in the snapshot")
    }

    private static func checkRejudging(_ sending: Sending, _ subject: StoreSubject) async throws {
        let sample = try Sample(1, side: .back)
        try await subject.admit(sample.admission)
        try await subject.claimOnly(sample.id)
        _ = try await subject.store.conclude(
            sample.id,
            as: .judged(.front(), sample.readingKey, .rejected(.sideMismatch, message: "the other side")),
            attempt: .accepted,
            now: .second(1)
        )
        var newer = sample.admission
        newer.metadata.side = .front
        try await expectRejudging(of: sample, as: newer, by: sending, subject)
    }

    private static func checkReverifying(_ sending: Sending, _ subject: StoreSubject) async throws {
        let sample = try Sample(1)
        try await subject.verified(sample)
        var newer = sample.admission
        newer.metadata.side = .back
        try await expectRejudging(of: sample, as: newer, by: sending, subject)
    }

    /// Sends anew what may change the verdict on a judged card; the card must be as if never verified, due at once,
    /// with its reading at hand.
    private static func expectRejudging(
        of sample: Sample,
        as newer: Admission,
        by sending: Sending,
        _ subject: StoreSubject
    ) async throws {
        let expected = rejudged(sample.admission, with: newer.metadata, at: .second(20))
        try expectEqual(try await sending.send(subject.store, newer, .second(20)), expected, "the card")
        try expectEqual(try await subject.card(sample.id), expected, "the card kept")
        let event = CardEvent(at: .second(20), kind: "metadata", state: .prepared)
        try expectEqual(try await subject.store.details(of: sample.id)?.events.last, event, "the last event")
        let snapshot = try await subject.store.snapshot(of: newer.metadata.businessNumber)
        try expectEqual(snapshot.cards.map(\.side), [newer.metadata.side], "the side in the snapshot")
        try expectEqual(snapshot.cards.map(\.holder), [nil], "the holder in the snapshot")
        let numbers = try await subject.store.applicationsWithVerifiedCards()
        try expectEqual(numbers, [], "the business numbers with a verified card")
        try expectEqual(try await subject.store.reading(for: sample.readingKey), .front(), "the kept reading")
        try expectEqual(try await subject.store.nextDue(for: .verify), .second(20), "the next verification")
        try await subject.claimOnly(sample.id, at: .second(20))
        let judged = try await subject.store.conclude(
            sample.id,
            as: .judged(.front(), sample.readingKey, .accepted),
            attempt: nil,
            now: .second(21)
        )
        try expectEqual([judged.state], [.verified], "the state after the second verdict")
        try expectEqual(judged.side, .front, "the side after the second verdict")
    }

    private static func checkLeased(_ sending: Sending, _ subject: StoreSubject) async throws {
        let sample = try Sample(1)
        var expected = try await subject.admit(sample.admission)
        try await subject.claimOnly(sample.id)
        var newer = sample.admission
        newer.metadata.side = .back
        expected.metadata.side = .back
        try expectEqual(try await sending.send(subject.store, newer, .second(20)), expected, "the card")
        let left = try await subject.store.claimPrepared(limit: 1, until: .second(99), now: .second(21))
        try expectEqual(left, [], "cards to be claimed beside the lease")
        let concluded = try await subject.store.conclude(
            sample.id,
            as: .rejected(.sideMissing, message: "no card"),
            attempt: nil,
            now: .second(22)
        )
        try expectEqual(concluded.state, .rejected, "the state that the worker gives it")
    }

    private static func checkLater(_ sending: Sending, _ subject: StoreSubject) async throws {
        let sample = try Sample(1)
        let delivery = try await subject.delivering(sample)
        var newer = sample.admission
        newer.metadata.priority = 9
        newer.metadata.side = .back
        newer.metadata.expectedName = Redacted("样本乙")
        for delivered in [false, true] {
            if delivered { try await end(delivery.id, as: .delivered(code: "ok"), subject) }
            let before = try await subject.store.details(of: sample.id)
            try expectEqual(try await sending.send(subject.store, newer, .second(20)), before?.card, "the card")
            try expectEqual(try await subject.store.details(of: sample.id), before, "the details")
        }
    }

    /// The card as it must be when it goes back to be judged again: as if just admitted, but changed at `now`.
    private static func rejudged(_ admission: Admission, with metadata: CardMetadata, at now: Timestamp) -> Card {
        Card(
            id: admission.id,
            state: .prepared,
            metadata: metadata,
            intakeOrder: admission.intakeOrder,
            createdAt: .second(0),
            changedAt: now
        )
    }

    private static func end(
        _ delivery: DeliveryID,
        as conclusion: DeliveryConclusion,
        _ subject: StoreSubject
    ) async throws {
        try await subject.claimOnly(delivery)
        _ = try await subject.store.beginAttempt(of: delivery, after: 0, now: .second(4))
        _ = try await subject.store.conclude(
            delivery,
            as: conclusion,
            attempt: .ended(.accepted),
            number: 1,
            now: .second(5)
        )
    }
}
