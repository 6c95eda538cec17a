import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let queries: [Case] = [
        Case("cards are listed by intake order, filtered and page by page") { subject in
            try await subject.verified(try Sample(4))
            try await subject.verified(try Sample(2, businessNumber: "CASE-2"))
            for number in [5, 1, 3] { try await subject.admit(try Sample(number).admission) }
            let number = try BusinessNumber.sample("CASE-1")
            let expectations: [(CardQuery, [Int64])] = [
                (CardQuery(), [1, 2, 3, 4, 5]),
                (CardQuery(limit: 2), [1, 2]),
                (CardQuery(afterIntakeOrder: 2, limit: 2), [3, 4]),
                (CardQuery(afterIntakeOrder: 5), []),
                (CardQuery(states: [.verified]), [2, 4]),
                (CardQuery(states: [.verified, .prepared], afterIntakeOrder: 3), [4, 5]),
                (CardQuery(businessNumber: number), [1, 3, 4, 5]),
                (CardQuery(states: [.prepared], businessNumber: number, afterIntakeOrder: 1, limit: 1), [3]),
                (CardQuery(states: [.delivered]), []),
                (CardQuery(limit: 0), []),
            ]
            for (query, orders) in expectations {
                let found = try await subject.store.cards(matching: query)
                try expectEqual(found.map(\.intakeOrder), orders, "the cards of \(query)")
            }
        },
        Case("cards are counted by state, and an empty store counts nothing") { subject in
            try expectEqual(try await subject.store.stateCounts(), [:], "the counts of an empty store")
            try await subject.verified(try Sample(1))
            try await subject.admit(try Sample(2).admission)
            try await subject.admit(try Sample(3).admission)
            try expectEqual(try await subject.store.stateCounts(), [.verified: 1, .prepared: 2], "the counts")
        },
        Case("the next verification is due when the first unleased card is") { subject in
            try expectEqual(try await subject.store.nextDue(for: .verify), nil, "the time without cards")
            try await subject.admit(try Sample(1).admission)
            try await subject.claimOnly(CardID(rawValue: "card-1"))
            try expectEqual(try await subject.store.nextDue(for: .verify), nil, "the time with a leased card")
            _ = try await subject.store.conclude(
                CardID(rawValue: "card-1"),
                as: .retry(at: .second(60), costsAttempt: false),
                attempt: nil,
                now: .second(2)
            )
            try expectEqual(try await subject.store.nextDue(for: .verify), .second(60), "the time of the retry")
            try await subject.admit(try Sample(2).admission, at: .second(3))
            let due = try require(try await subject.store.nextDue(for: .verify), "the time with a new card")
            try expect(due <= .second(3), "a new card is due at once")
            try expectEqual(try await subject.store.nextDue(for: .prepare), nil, "the time of a stage without a queue")
        },
        Case("the next delivery is due when the first unleased one is") { subject in
            try expectEqual(try await subject.store.nextDue(for: .deliver), nil, "the time without deliveries")
            let delivery = try await subject.delivering(try Sample(1))
            let due = try require(try await subject.store.nextDue(for: .deliver), "the time with a new delivery")
            try expect(due <= .second(2), "a new delivery is due at once")
            try await subject.claimOnly(delivery.id)
            try expectEqual(try await subject.store.nextDue(for: .deliver), nil, "the time with a leased delivery")
            _ = try await subject.store.conclude(
                delivery.id,
                as: .retry(at: .second(60), costsAttempt: false),
                attempt: .ended(.notSent),
                number: 0,
                now: .second(4)
            )
            try expectEqual(try await subject.store.nextDue(for: .deliver), .second(60), "the time of the retry")
        },
        Case("a stage's pause is kept until it is lifted") { subject in
            try expectEqual(try await subject.store.pauses(), [:], "the pauses of an empty store")
            let first = StagePause(code: "AUTHENTICATION_ERROR", message: "set the key", since: .second(1))
            let second = StagePause(code: "INSUFFICIENT_BALANCE", message: "top up", since: .second(2))
            try await subject.store.setPause(first, of: .verify)
            try await subject.store.setPause(second, of: .verify)
            try await subject.store.setPause(first, of: .deliver)
            try expectEqual(try await subject.another().pauses(), [.verify: second, .deliver: first], "the pauses")
            try await subject.store.setPause(nil, of: .verify)
            try expectEqual(try await subject.store.pauses(), [.deliver: first], "the pauses left")
        },
        Case("a process ends its own pause and those of processes that are gone, not that of another") { subject in
            let pause = StagePause(code: "AUTHENTICATION_ERROR", message: "set the key", since: .second(1))
            let (living, dying) = (try await subject.another(), try await subject.another())
            try await living.setPause(pause, of: .verify)
            try expectEqual(try await subject.store.pausesLeftBehind(), [], "nothing is left behind")
            try await subject.store.setPause(nil, of: .verify)
            try expectEqual(try await subject.store.pauses(), [.verify: pause], "another's pause")
            try await dying.setPause(pause, of: .deliver)
            try await subject.end(dying)
            _ = try await subject.store.reclaimLeases(now: .second(2))
            try expectEqual(try await subject.store.pausesLeftBehind(), [.deliver], "what is left behind")
            try await subject.store.setPause(nil, of: .deliver)
            try expectEqual(try await subject.store.pauses(), [.verify: pause], "the pauses left")
        },
        Case("an endpoint fails once three calls in a row have failed, until it takes one") { subject in
            let sample = try Sample(1)
            try await subject.admit(sample.admission)
            func call(_ attempt: AttemptRecord, as conclusion: VerificationConclusion) async throws -> StageStanding? {
                try await subject.claimOnly(sample.id, at: attempt.startedAt)
                _ = try await subject.store.conclude(
                    sample.id,
                    as: conclusion,
                    attempt: attempt,
                    now: attempt.startedAt
                )
                return try await subject.store.standings()[.verify]
            }
            for number in Int64(1)...3 {
                let failure = RemoteFailure(.notSent, code: "connect_refused", message: "m")
                let time = Timestamp.second(number)
                let standing = try await call(
                    AttemptRecord(failure, startedAt: time),
                    as: .retry(at: time, costsAttempt: false)
                )
                try expectEqual(standing?.oldestSince, .second(0), "the oldest card")
                let expected = EndpointFailure(code: "connect_refused", since: .second(1), lastAt: time)
                try expectEqual(standing?.failure, number < 3 ? nil : expected, "after \(number)")
            }
            let answer = AttemptRecord(failureClass: .throttled, code: "c", httpStatus: 403, startedAt: .second(9))
            let standing = try await call(answer, as: .retry(at: .second(9), costsAttempt: false))
            try expectEqual(standing, StageStanding(oldestSince: .second(0)), "after an answer")
        },
        Case("until when a host asked to be left alone is known to all, and never longer than is allowed") { subject in
            let other = try await subject.another()
            try await subject.store.setWait(until: .second(30), of: "a:443", now: .second(1))
            try await subject.store.setWait(until: .second(20), of: "a:443", now: .second(2))
            try expectEqual(
                try await other.waits(longest: .seconds(100), now: .second(3)),
                ["a:443": .second(30)],
                "the longer wait"
            )
            try expectEqual(try await other.waits(longest: .seconds(100), now: .second(30)), [:], "when it is over")
            try await other.setWait(until: .second(9000), of: "b:80", now: .second(40))
            try expectEqual(
                try await subject.store.waits(longest: .seconds(100), now: .second(40)),
                ["b:80": .second(140)],
                "a wait that is too long"
            )
            try expectEqual(
                try await subject.store.waits(longest: .seconds(100), now: .second(100)),
                ["b:80": .second(140)],
                "it is shortened once"
            )
        },
    ]
}
