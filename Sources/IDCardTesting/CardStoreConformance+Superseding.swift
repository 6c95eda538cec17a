import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let superseding: [Case] = [
        Case("a superseded photo that is sent in again is judged again once the newer one has come to nothing") {
            subject in
            let older = try await subject.superseded()
            let metadata = older.admission.metadata
            let kept = try await subject.store.update(older.id, with: metadata, now: .second(5))
            try expectEqual(kept.state, .superseded, "while the newer one is verified")
            // Neither an older photo nor the other side replaces it.
            try await subject.verified(try Sample(4), reading: .back())
            try await subject.erase(CardID(rawValue: "card-2"))
            let card = try await subject.store.update(older.id, with: metadata, now: .second(60))
            try expectEqual(card.state, .prepared, "the state")
            try expectEqual(card.reason, nil, "the reason")
            try expectEqual(card.side, nil, "the side")
            try expect(try await subject.store.reading(for: older.readingKey) != nil, "the reading is kept")
            try await subject.claimOnly(older.id, at: .second(61))
        },
        Case("known by its bytes, a superseded photo is judged again as well") { subject in
            let older = try await subject.superseded()
            try await subject.erase(CardID(rawValue: "card-2"))
            let card = try await subject.store.recognise(
                older.admission.sourceDigest,
                metadata: older.admission.metadata,
                file: .sample(),
                now: .second(60)
            )
            try expectEqual(card?.state, .prepared, "the state")
        },
        Case("a photo of unknown side that is still to be verified may replace a superseded one") { subject in
            let older = try await subject.superseded()
            try await subject.admit(try Sample(3).admission)
            try await subject.erase(CardID(rawValue: "card-2"))
            let metadata = older.admission.metadata
            let kept = try await subject.store.update(older.id, with: metadata, now: .second(60))
            try expectEqual(kept.state, .superseded, "while the newest is unverified")
            try await subject.claimOnly(CardID(rawValue: "card-3"), at: .second(61))
            _ = try await subject.store.conclude(
                CardID(rawValue: "card-3"),
                as: .judged(.back(), try Sample(3).readingKey, .accepted),
                attempt: .accepted,
                now: .second(61)
            )
            let card = try await subject.store.update(older.id, with: metadata, now: .second(62))
            try expectEqual(card.state, .prepared, "it was a back")
        },
        Case("a photo superseded by one that was delivered never comes back, nor when that one is erased") { subject in
            let older = try await subject.superseded()
            let newer = try await subject.card(CardID(rawValue: "card-2"))
            let basis = try await subject.store.snapshot(of: .sample("CASE-1"))
            let delivery = Delivery.sample("delivery-1", of: [newer])
            let change = ApplicationChange(deliveries: [delivery])
            try expect(try await subject.store.apply(change, basis: basis, now: .second(3)) != nil, "it is applied")
            try await subject.delivered(delivery)
            for time in [Int64(60), 61] {
                let metadata = older.admission.metadata
                let kept = try await subject.store.update(older.id, with: metadata, now: .second(time))
                try expectEqual(kept.state, .superseded, "the state")
                try await expectError(.conflict, "a person's retry") {
                    _ = try await subject.store.retry(older.id, by: .tester, now: .second(time))
                }
                try await subject.erase(newer.id)
            }
            try expectEqual(try await subject.card(older.id).reason, .replacedBySent, "the reason")
        },
        Case("a person has a superseded photo judged again when no newer one replaces it") { subject in
            let older = try await subject.superseded()
            try await expectError(.conflict, "while the newer one is verified") {
                _ = try await subject.store.retry(older.id, by: .tester, now: .second(5))
            }
            try await subject.erase(CardID(rawValue: "card-2"))
            let card = try await subject.store.retry(older.id, by: .tester, now: .second(60))
            try expectEqual(card.state, .prepared, "the state")
        },
    ]
}

extension StoreSubject {
    /// Two fronts of one holder, of which the second superseded the first; returns the first.
    fileprivate func superseded() async throws -> Sample {
        let older = try Sample(1)
        try await self.verified(older)
        try await self.verified(try Sample(2))
        let basis = try await self.store.snapshot(of: .sample("CASE-1"))
        let change = ApplicationChange(superseded: [older.id])
        try expect(try await self.store.apply(change, basis: basis, now: .second(2)) != nil, "the change is applied")
        return older
    }
}
