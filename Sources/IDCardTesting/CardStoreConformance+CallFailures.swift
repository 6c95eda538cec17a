import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    private static func fail(
        _ card: CardID,
        _ subject: StoreSubject,
        as failureClass: FailureClass,
        from start: Timestamp,
        at now: Timestamp
    ) async throws {
        try await claimAll(subject, at: now)
        let attempt = AttemptRecord(failureClass: failureClass, code: "c", httpStatus: 500, startedAt: start)
        _ = try await subject.store.conclude(
            card,
            as: .retry(at: now, costsAttempt: false),
            attempt: attempt,
            now: now
        )
        try await subject.store.releaseLeases()
    }

    private static func claimAll(_ subject: StoreSubject, at now: Timestamp) async throws {
        _ = try await subject.store.claimPrepared(limit: 10, until: .second(1000), now: now)
    }

    private static func succeed(
        _ sample: Sample,
        _ subject: StoreSubject,
        from start: Timestamp,
        at now: Timestamp
    ) async throws {
        try await claimAll(subject, at: now)
        _ = try await subject.store.conclude(
            sample.id,
            as: .judged(.front(), sample.readingKey, .accepted),
            attempt: AttemptRecord(failureClass: .accepted, code: "ok", httpStatus: 200, startedAt: start),
            now: now
        )
        try await subject.store.releaseLeases()
    }

    static let callFailures: [Case] = [
        Case("what fails in a row is counted until the card leaves its stage") { subject in
            let sample = try Sample(1)
            try await subject.admit(sample.admission)
            let none = try await subject.store.standing(of: [sample.id], at: .verify, now: .second(1))
            try expectEqual(none, CallStanding(), "before")
            try await fail(sample.id, subject, as: .transient, from: .second(1), at: .second(2))
            try await fail(sample.id, subject, as: .stop, from: .second(3), at: .second(4))
            let standing = try await subject.another().standing(of: [sample.id], at: .verify, now: .second(5))
            try expectEqual(standing.failures, 2, "the failures")
            try expectEqual(standing.firstFailedAt, .second(1), "the first")
            try expect(standing.hasStopped, "one was a stop")
            try expect(!standing.othersSucceededSinceLast && !standing.stopConcernsCards, "nothing succeeded")
            try await succeed(sample, subject, from: .second(5), at: .second(6))
            let after = try await subject.store.standing(of: [sample.id], at: .verify, now: .second(7))
            try expectEqual(after, CallStanding(), "after")
        },
        Case("only a call about another card that began after the failure tells them apart") { subject in
            let samples = try (1...4).map { try Sample($0) }
            for sample in samples { try await subject.admit(sample.admission) }
            func standing() async throws -> CallStanding {
                try await subject.store.standing(of: [samples[0].id], at: .verify, now: .second(20))
            }
            try await succeed(samples[1], subject, from: .second(1), at: .second(2))
            try await fail(samples[0].id, subject, as: .stop, from: .second(3), at: .second(5))
            try expect(try await !standing().stopConcernsCards, "what ended before says nothing")
            try await succeed(samples[2], subject, from: .second(4), at: .second(6))
            try expect(try await !standing().stopConcernsCards, "what began before says nothing")
            try expect(try await standing().othersSucceededSinceFirst, "it began after the first failed call")
            try await succeed(samples[3], subject, from: .second(7), at: .second(8))
            try expect(try await standing().stopConcernsCards, "what began after says it")
            let earlier = try await subject.store.standing(of: [samples[0].id], at: .verify, now: .second(6))
            try expect(!earlier.stopConcernsCards, "a time ahead of the clock is not believed")
        },
        Case("other cards that got a stop are counted until the endpoint works, also those that have ended") {
            subject in
            let samples = try (1...3).map { try Sample($0) }
            for sample in samples { try await subject.admit(sample.admission) }
            try await fail(samples[0].id, subject, as: .stop, from: .second(1), at: .second(2))
            try await claimAll(subject, at: .second(3))
            _ = try await subject.store.conclude(
                samples[1].id,
                as: .failed(ReasonCode(rawValue: "c"), message: "m"),
                attempt: AttemptRecord(failureClass: .stop, code: "c", httpStatus: 400, startedAt: .second(3)),
                now: .second(4)
            )
            try await subject.store.releaseLeases()
            let third = samples[2].id
            let before = try await subject.store.standing(of: [third], at: .verify, now: .second(5))
            try expectEqual(before.otherStopped, 2, "before")
            let own = try await subject.store.standing(of: [samples[0].id], at: .verify, now: .second(5))
            try expectEqual(own.otherStopped, 1, "its own is none of the others")
            try await succeed(samples[2], subject, from: .second(5), at: .second(6))
            let after = try await subject.store.standing(of: [samples[0].id], at: .verify, now: .second(7))
            try expectEqual(after.otherStopped, 0, "after")
        },
        Case("a success forgets of the cards that have ended only what it came after") { subject in
            let samples = try (1...3).map { try Sample($0) }
            for sample in samples { try await subject.admit(sample.admission) }
            try await fail(samples[0].id, subject, as: .stop, from: .second(1), at: .second(2))
            try await claimAll(subject, at: .second(5))
            _ = try await subject.store.conclude(
                samples[1].id,
                as: .failed(ReasonCode(rawValue: "c"), message: "m"),
                attempt: AttemptRecord(failureClass: .stop, code: "c", httpStatus: 400, startedAt: .second(5)),
                now: .second(6)
            )
            try await subject.store.releaseLeases()
            try await succeed(samples[2], subject, from: .second(4), at: .second(7))
            let standing = try await subject.store.standing(of: [samples[0].id], at: .verify, now: .second(8))
            try expectEqual(standing.otherStopped, 1, "the refusal that came after the call began")
            try expect(!standing.stopConcernsCards, "another got a stop since")
        },
        Case("a probe is claimed from what has not failed, and without that from what failed longest ago") { subject in
            let samples = try (1...3).map { try Sample($0) }
            for sample in samples { try await subject.admit(sample.admission) }
            func claim(_ order: ClaimOrder) async throws -> [CardID] {
                let cards = try await subject.store.claimPrepared(
                    limit: 1,
                    order: order,
                    until: .second(100),
                    now: .second(50)
                )
                try await subject.store.releaseLeases()
                return cards.map(\.id)
            }
            try await fail(samples[0].id, subject, as: .stop, from: .second(1), at: .second(2))
            try expectEqual(try await claim(.usual), [samples[0].id], "the usual order")
            try expectEqual(try await claim(.untriedFirst), [samples[1].id], "the first that has not failed")
            try await fail(samples[1].id, subject, as: .stop, from: .second(3), at: .second(4))
            try await fail(samples[2].id, subject, as: .stop, from: .second(5), at: .second(6))
            try await fail(samples[0].id, subject, as: .stop, from: .second(7), at: .second(8))
            try expectEqual(try await claim(.untriedOnly), [], "none is left that has not failed")
            try expectEqual(try await claim(.untriedFirst), [samples[1].id], "the one that failed longest ago")
        },
        Case("a probe of deliveries is claimed likewise, and a delivery that fails alone fails its cards") { subject in
            let first = try await subject.delivering(try Sample(1), key: "delivery-1")
            let second = try await subject.delivering(try Sample(2, businessNumber: "CASE-2"), key: "delivery-2")
            func claim(_ order: ClaimOrder) async throws -> [DeliveryID] {
                try await subject.store.claimDeliveries(limit: 1, order: order, until: .second(100), now: .second(50))
                    .map(\.id)
            }
            try expectEqual(try await claim(.usual), [first.id], "the usual order")
            let number = try await subject.store.beginAttempt(of: first.id, after: 0, now: .second(50))
            let stop = AttemptRecord(failureClass: .stop, code: "http_404", httpStatus: 404, startedAt: .second(50))
            _ = try await subject.store.conclude(
                first.id,
                as: .retry(at: .second(50), costsAttempt: false),
                attempt: stop,
                number: number,
                now: .second(50)
            )
            try expectEqual(try await claim(.untriedFirst), [second.id], "the one that has not failed")
            try expectEqual(try await claim(.untriedOnly), [], "none is left that has not failed")
            try expectEqual(try await claim(.untriedFirst), [first.id], "the one that failed")
            let cards = try await subject.store.conclude(
                first.id,
                as: .failed(ReasonCode(rawValue: "http_404"), message: "m"),
                attempt: stop,
                number: number,
                now: .second(51)
            )
            try expectEqual(cards.map(\.state), [.failed], "the state")
            try expectEqual(try await claim(.untriedFirst), [], "nothing is left")
        },
    ]
}
