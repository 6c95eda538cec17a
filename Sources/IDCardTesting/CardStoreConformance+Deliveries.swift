import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let deliveries: [Case] = [
        Case("deliveries are claimed by the priority of their cards, then as they were formed") { subject in
            for (number, priority) in [(1, 0), (2, 3), (3, 0), (4, 3)] {
                try await subject.delivering(
                    try Sample(number, businessNumber: "CASE-\(number)", priority: priority),
                    key: "delivery-\(number)"
                )
            }
            let first = try await subject.store.claimDeliveries(limit: 3, until: .second(9), now: .second(3))
            try expectEqual(first.map(\.id.rawValue), ["delivery-2", "delivery-4", "delivery-1"], "the first claim")
            let second = try await subject.another().claimDeliveries(limit: 3, until: .second(9), now: .second(3))
            try expectEqual(second.map(\.id.rawValue), ["delivery-3"], "the second claim")
        },
        Case("a claimed delivery is what was formed, part by part") { subject in
            let delivery = try await subject.delivering(try Sample(1))
            try expectEqual(try await subject.claimOnly(delivery.id), delivery, "the delivery")
            let members = try await subject.card(delivery.members[0])
            try expectEqual(members.delivery, delivery.id, "the delivery of its member")
        },
        Case("a retried delivery is due at its time and shows its attempts") { subject in
            let delivery = try await subject.delivering(try Sample(1))
            try await subject.claimOnly(delivery.id)
            _ = try await subject.store.beginAttempt(of: delivery.id, after: 0, now: .second(3))
            let members = try await subject.store.conclude(
                delivery.id,
                as: .retry(at: .second(30), costsAttempt: true),
                attempt: .ended(.transient),
                number: 1,
                now: .second(4)
            )
            try expectEqual(members.map(\.state), [.delivering], "the states")
            try expectEqual(members.map(\.attempts), [1], "the attempts of the members")
            try expectEqual(members.map(\.nextAttemptAt), [.second(30)], "the time of the members")
            let early = try await subject.store.claimDeliveries(limit: 1, until: .second(99), now: .second(29))
            try expectEqual(early, [], "deliveries claimed early")
            var expected = delivery
            expected.attempts = 1
            expected.lastAttempt = 1
            try expectEqual(try await subject.claimOnly(delivery.id, at: .second(30)), expected, "the delivery")
            let number = try await subject.store.beginAttempt(of: delivery.id, after: 1, now: .second(30))
            try expectEqual(number, 2, "the number of the attempt")
            _ = try await subject.store.conclude(
                delivery.id,
                as: .retry(at: .second(31), costsAttempt: false),
                attempt: .ended(.notSent),
                number: number,
                now: .second(31)
            )
            expected.lastAttempt = 2
            try expectEqual(try await subject.claimOnly(delivery.id, at: .second(31)), expected, "the delivery again")
        },
        Case("after an unknown outcome a delivery may have been received, for ever") { subject in
            let delivery = try await subject.delivering(try Sample(1))
            for (second, failureClass) in [(3, FailureClass.unknown), (5, .notSent), (7, .throttled)] {
                let claimed = try await subject.claimOnly(delivery.id, at: .second(Int64(second)))
                let number = try await subject.store.beginAttempt(
                    of: delivery.id,
                    after: claimed.lastAttempt,
                    now: .second(Int64(second))
                )
                _ = try await subject.store.conclude(
                    delivery.id,
                    as: .retry(at: .second(Int64(second)), costsAttempt: false),
                    attempt: .ended(failureClass),
                    number: number,
                    now: .second(Int64(second))
                )
            }
            let claimed = try await subject.claimOnly(delivery.id, at: .second(9))
            try expect(claimed.mayHaveBeenReceived, "the delivery may have been received")
        },
        Case("an attempt without an outcome counts as unknown, and ends when the next begins") { subject in
            let delivery = try await subject.delivering(try Sample(1))
            let dying = try await subject.another()
            _ = try await dying.claimDeliveries(limit: 1, until: .second(99), now: .second(3))
            _ = try await dying.beginAttempt(of: delivery.id, after: 0, now: .second(3))
            try await subject.end(dying)
            try expectEqual(try await subject.store.reclaimLeases(now: .second(4)), 1, "leases taken back")
            let claimed = try await subject.claimOnly(delivery.id, at: .second(4))
            try expect(claimed.mayHaveBeenReceived, "the delivery may have been received")
            try expectEqual(claimed.attempts, 0, "attempts: an interruption costs none")
            _ = try await subject.store.beginAttempt(of: delivery.id, after: 1, now: .second(5))
            _ = try await subject.store.conclude(
                delivery.id,
                as: .retry(at: .second(6), costsAttempt: false),
                attempt: .ended(.notSent),
                number: 2,
                now: .second(6)
            )
            let again = try await subject.claimOnly(delivery.id, at: .second(6))
            try expect(again.mayHaveBeenReceived, "the delivery still may have been received")
            let events = try await subject.store.details(of: delivery.members[0])?.events ?? []
            let attempts = events.filter { $0.kind == "attempt" && $0.at >= .second(3) }
            try expectEqual(attempts.map(\.code), ["interrupted", "sample_code"], "the codes of the attempts")
        },
    ]
}
