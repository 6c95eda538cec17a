import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let intake: [Case] = [
        Case("an admitted card is prepared, with its image, its metadata and its history") { subject in
            let sample = try Sample(1, priority: 4, side: .front)
            let card = try await subject.admit(sample.admission, at: .second(5))
            let expected = Card(
                id: sample.id,
                state: .prepared,
                metadata: sample.admission.metadata,
                intakeOrder: 1,
                createdAt: .second(5),
                changedAt: .second(5)
            )
            try expectEqual(card, expected, "the card returned")
            try expectEqual(try await subject.card(sample.id), expected, "the card kept")
            try expectEqual(try await subject.store.preparedImage(of: sample.id), .sample(1), "the image")
            let details = try require(try await subject.store.details(of: sample.id), "details")
            try expectEqual(details.imageByteCount, 20_000, "the byte count")
            try expectEqual(details.reading, nil, "the reading")
            let event = CardEvent(at: .second(5), kind: "admitted", state: .prepared)
            try expectEqual(details.events, [event], "the events")
        },
        Case("a refused image becomes a rejected card with its reason and without an image") { subject in
            let reason = ReasonCode(rawValue: "unsupported_format")
            let sample = try Sample(1, content: .refused(reason, message: "a HEIC image; send a JPEG"))
            let card = try await subject.admit(sample.admission)
            try expectEqual(card.state, .rejected, "the state")
            try expectEqual(card.reason, reason, "the reason")
            try expectEqual(card.message, "a HEIC image; send a JPEG", "the message")
            try await expectError(.notFound, "the image") {
                _ = try await subject.store.preparedImage(of: sample.id)
            }
            let event = CardEvent(at: .second(0), kind: "admitted", state: .rejected, code: reason.rawValue)
            try expectEqual(try await subject.store.details(of: sample.id)?.events, [event], "the events")
            try expectEqual(
                try await subject.store.claimPrepared(limit: 1, until: .second(9), now: .second(1)),
                [],
                "claimed cards"
            )
        },
        Case("equal bytes are one card under one business number, and two under two") { subject in
            let first = try await subject.admit(try Sample(1, bytes: "same").admission)
            var copy = try Sample(2, bytes: "same").admission
            copy.metadata = first.metadata
            let again = try await subject.store.admit(copy, now: .second(1))
            try expectEqual(again, .duplicate(first), "the second admission")
            try expectEqual(try await subject.store.card(CardID(rawValue: "card-2")), nil, "the second card")
            try await subject.admit(try Sample(3, businessNumber: "CASE-2", bytes: "same").admission)
            try expectEqual(try await subject.store.stateCounts(), [.prepared: 2], "the counts")
        },
        Case("of concurrent admissions of equal bytes exactly one is admitted") { subject in
            let other = try await subject.another()
            let outcomes = try await withThrowingTaskGroup(of: AdmissionOutcome.self) { group in
                for number in 1...8 {
                    let store = number.isMultiple(of: 2) ? subject.store : other
                    let admission = try Sample(number, bytes: "same").admission
                    group.addTask { try await store.admit(admission, now: .second(0)) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let admitted = outcomes.filter { if case .admitted = $0 { true } else { false } }
            try expectEqual(admitted.count, 1, "admissions")
            try expectEqual(try await subject.store.stateCounts(), [.prepared: 1], "the counts")
        },
        Case("places in the intake order are consecutive and never given twice") { subject in
            let first = try await subject.store.reserveIntakeOrders(3)
            let second = try await subject.store.reserveIntakeOrders(2)
            let third = try await subject.another().reserveIntakeOrders(1)
            try expectEqual([second, third], [first + 3, first + 5], "the places")
        },
    ]
}
