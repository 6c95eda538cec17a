import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let leases: [Case] = [
        Case("a lease that has expired is taken back, and not before") { subject in
            let sample = try Sample(1)
            try await subject.admit(sample.admission)
            _ = try await subject.store.claimPrepared(limit: 1, until: .second(10), now: .second(1))
            let other = try await subject.another()
            try expectEqual(try await other.reclaimLeases(now: .second(9)), 0, "leases taken back early")
            let early = try await other.claimPrepared(limit: 1, until: .second(99), now: .second(9))
            try expectEqual(early, [], "cards claimed early")
            try expectEqual(try await other.reclaimLeases(now: .second(10)), 1, "leases taken back")
            let claimed = try await other.claimPrepared(limit: 1, until: .second(99), now: .second(10))
            try expectEqual(claimed.map(\.id), [sample.id], "cards claimed")
            try await expectError(.conflict, "the conclusion of the former owner") {
                _ = try await subject.store.conclude(
                    sample.id,
                    as: .retry(at: .second(11), costsAttempt: false),
                    attempt: nil,
                    now: .second(11)
                )
            }
        },
        Case("the leases of a dead owner are taken back at once, those of a living one are not") { subject in
            try await subject.delivering(try Sample(2, businessNumber: "CASE-2"))
            try await subject.admit(try Sample(1).admission)
            let dying = try await subject.another()
            let living = try await subject.another()
            _ = try await dying.claimPrepared(limit: 1, until: .second(1000), now: .second(3))
            _ = try await dying.claimDeliveries(limit: 1, until: .second(1000), now: .second(3))
            try await subject.admit(try Sample(3).admission)
            _ = try await living.claimPrepared(limit: 1, until: .second(1000), now: .second(3))
            try expectEqual(try await subject.store.reclaimLeases(now: .second(4)), 0, "leases of living owners")
            try await subject.end(dying)
            try expectEqual(try await subject.store.reclaimLeases(now: .second(4)), 2, "leases of the dead owner")
            try expectEqual(try await subject.store.reclaimLeases(now: .second(4)), 0, "leases taken back twice")
            try await subject.claimOnly(CardID(rawValue: "card-1"), at: .second(4))
            try await subject.claimOnly(DeliveryID(rawValue: "delivery-1"), at: .second(4))
        },
        Case("renewed leases live longer, those of other owners do not") { subject in
            try await subject.admit(try Sample(1).admission)
            try await subject.admit(try Sample(2).admission)
            let other = try await subject.another()
            _ = try await subject.store.claimPrepared(limit: 1, until: .second(10), now: .second(1))
            _ = try await other.claimPrepared(limit: 1, until: .second(10), now: .second(1))
            try await subject.store.renewLeases(until: .second(50))
            try expectEqual(try await other.reclaimLeases(now: .second(20)), 1, "leases taken back")
            try await subject.claimOnly(CardID(rawValue: "card-2"), at: .second(20))
        },
        Case("leases handed back may be claimed by another at once") { subject in
            let sample = try Sample(1)
            let delivery = try await subject.delivering(sample)
            try await subject.admit(try Sample(2).admission)
            try await subject.claimOnly(delivery.id)
            try await subject.claimOnly(CardID(rawValue: "card-2"))
            _ = try await subject.store.beginAttempt(of: delivery.id, after: 0, now: .second(4))
            try await subject.store.releaseLeases()
            let other = try await subject.another()
            let cards = try await other.claimPrepared(limit: 9, until: .second(99), now: .second(5))
            try expectEqual(cards.map(\.intakeOrder), [2], "cards claimed")
            let deliveries = try await other.claimDeliveries(limit: 9, until: .second(99), now: .second(5))
            try expectEqual(deliveries.map(\.id), [delivery.id], "deliveries claimed")
            try expectEqual(deliveries.map(\.mayHaveBeenReceived), [true], "whether the begun attempt still counts")
        },
        Case("work that was interrupted has spent no attempt, of a card or of a delivery") { subject in
            let delivery = try await subject.delivering(try Sample(1))
            try await subject.admit(try Sample(2).admission)
            for second in Int64(3)..<6 {
                let dying = try await subject.another()
                let cards = try await dying.claimPrepared(limit: 9, until: .second(1000), now: .second(second))
                try expectEqual(cards.map(\.attempts), [0], "attempts of the card")
                let deliveries = try await dying.claimDeliveries(limit: 9, until: .second(1000), now: .second(second))
                try expectEqual(deliveries.map(\.attempts), [0], "attempts of the delivery")
                try expectEqual(deliveries.map(\.mayHaveBeenReceived), [second > 3], "whether it may have arrived")
                let last = deliveries.map(\.lastAttempt).max() ?? 0
                try expectEqual(last, Int(second) - 3, "the last attempt")
                _ = try await dying.beginAttempt(of: delivery.id, after: last, now: .second(second))
                try await subject.end(dying)
                try expectEqual(try await subject.store.reclaimLeases(now: .second(second)), 2, "leases taken back")
            }
        },
    ]
}
