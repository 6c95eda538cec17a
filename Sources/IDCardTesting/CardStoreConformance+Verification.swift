import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let verification: [Case] = [
        Case("cards are claimed by priority, then in the order of intake, up to the limit") { subject in
            for (number, priority) in [(1, 0), (2, 0), (3, 5), (4, -1), (5, 5)] {
                try await subject.admit(try Sample(number, priority: priority).admission)
            }
            let first = try await subject.store.claimPrepared(limit: 3, until: .second(9), now: .second(1))
            try expectEqual(first.map(\.intakeOrder), [3, 5, 1], "the first claim")
            let second = try await subject.store.claimPrepared(limit: 3, until: .second(9), now: .second(1))
            try expectEqual(second.map(\.intakeOrder), [2, 4], "the second claim")
            let none = try await subject.store.claimPrepared(limit: 0, until: .second(9), now: .second(1))
            try expectEqual(none, [], "a claim of nothing")
        },
        Case("concurrent claims of two owners never share a card") { subject in
            let other = try await subject.another()
            for number in 1...12 { try await subject.admit(try Sample(number).admission) }
            let claims = try await withThrowingTaskGroup(of: [CardID].self) { group in
                for number in 0..<6 {
                    let store = number.isMultiple(of: 2) ? subject.store : other
                    group.addTask {
                        try await store.claimPrepared(limit: 2, until: .second(9), now: .second(1)).map(\.id)
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            try expectEqual(claims.count, 12, "claimed cards")
            try expectEqual(Set(claims).count, 12, "different cards")
        },
        Case("a reading is used again for the same bytes, provider and parameters only") { subject in
            let sample = try Sample(1)
            try await subject.verified(sample, reading: .front())
            let key = sample.readingKey
            try expectEqual(try await subject.store.reading(for: key), .front(), "the reading")
            let others = [
                ReadingKey(imageDigest: .sample("other"), provider: key.provider, parameters: key.parameters),
                ReadingKey(imageDigest: key.imageDigest, provider: "cardpp-v1", parameters: key.parameters),
                ReadingKey(imageDigest: key.imageDigest, provider: key.provider, parameters: ""),
            ]
            for other in others {
                try expectEqual(try await subject.store.reading(for: other), nil, "the reading under another key")
            }
        },
        Case("a retried card keeps its state and is claimed again only when it is due") { subject in
            let sample = try Sample(1)
            let admitted = try await subject.admit(sample.admission)
            try await subject.claimOnly(sample.id)
            let retried = try await subject.store.conclude(
                sample.id,
                as: .retry(at: .second(30), costsAttempt: true),
                attempt: .ended(.transient),
                now: .second(2)
            )
            var expected = admitted
            expected.attempts = 1
            expected.nextAttemptAt = .second(30)
            try expectEqual(retried, expected, "the card")
            let early = try await subject.store.claimPrepared(limit: 1, until: .second(99), now: .second(29))
            try expectEqual(early, [], "claimed cards before the time")
            try await subject.claimOnly(sample.id, at: .second(30))
            let throttled = try await subject.store.conclude(
                sample.id,
                as: .retry(at: .second(40), costsAttempt: false),
                attempt: .ended(.throttled),
                now: .second(31)
            )
            try expectEqual(throttled.attempts, 1, "attempts after a retry that costs none")
            try expectEqual(throttled.nextAttemptAt, .second(40), "the time")
        },
        Case("a card made smaller keeps its state and is due at once") { subject in
            let sample = try Sample(1)
            try await subject.admit(sample.admission)
            try await subject.claimOnly(sample.id)
            let smaller = PreparedImage.sample(9, byteCount: 5000)
            let card = try await subject.store.conclude(
                sample.id,
                as: .shrunk(smaller),
                attempt: .ended(.shrink),
                now: .second(2)
            )
            try expect(card.isShrunk, "the card is marked as made smaller")
            try expectEqual([card.state], [.prepared], "the state")
            try expectEqual(card.attempts, 0, "attempts")
            try expectEqual(try await subject.store.preparedImage(of: sample.id), smaller, "the image")
            try expectEqual(try await subject.store.details(of: sample.id)?.imageByteCount, 5000, "the byte count")
            try await subject.claimOnly(sample.id, at: .second(2))
        },
    ]
}
