import Foundation
import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let received: [Case] = [
        Case("a received card becomes prepared; its source bytes go in the same change") { subject in
            try await subject.receive(1, try await subject.bytes(.source(1, 2_000_000)))
            try await subject.claimReceived(1)
            let card = try await subject.store.concludePreparing(
                .numbered(1),
                as: .prepared(.sample(1)),
                now: .second(2)
            )
            try expectEqual(card.state, .prepared, "the state")
            try expectEqual(card.changedAt, .second(2), "the time of the change")
            try expectEqual(try await subject.store.preparedImage(of: card.id), .sample(1), "the image")
            try expectEqual(try await subject.source(of: 1), Data(), "the source bytes")
            try await subject.claimOnly(card.id, at: .second(2))
            try expectEqual(try await subject.events(of: 1), ["received", "prepared"], "the events")
        },
        Case("a received image that cannot be used is rejected; its source bytes go in the same change") { subject in
            try await subject.receive(1, try await subject.bytes(.source(1, 10)))
            try await subject.claimReceived(1)
            let reason = ReasonCode(rawValue: "unsupported_format")
            let conclusion = PreparationConclusion.rejected(reason, message: "a HEIC image; send a JPEG")
            let card = try await subject.store.concludePreparing(.numbered(1), as: conclusion, now: .second(2))
            try expectEqual(card.state, .rejected, "the state")
            try expectEqual(card.reason, reason, "the reason")
            try expectEqual(card.message, "a HEIC image; send a JPEG", "the message")
            try expectEqual(try await subject.source(of: 1), Data(), "the source bytes")
            try await expectError(.conflict, "a retry without anything to be retried") {
                _ = try await subject.store.retry(card.id, by: .tester, now: .second(3))
            }
        },
        Case("what could not be prepared now is due again later, at the cost of an attempt, and keeps its bytes") {
            subject in
            try await subject.receive(1, try await subject.bytes(.source(1, 5000)))
            try await subject.claimReceived(1)
            let conclusion = PreparationConclusion.retry(at: .second(20))
            let card = try await subject.store.concludePreparing(.numbered(1), as: conclusion, now: .second(2))
            try expectEqual(card.state, .received, "the state")
            try expectEqual(card.attempts, 1, "attempts")
            try expectEqual(card.nextAttemptAt, .second(20), "the next time")
            try expectEqual(try await subject.store.nextDue(in: .received), .second(20), "the next due card")
            let early = try await subject.store.claimReceived(limit: 9, until: .second(99), now: .second(19))
            try expectEqual(early, [], "cards claimed early")
            try await subject.claimReceived(1, at: .second(20))
            try expectEqual(try await subject.source(of: 1), .source(1, 5000), "the source bytes")
        },
        Case("a received card that failed keeps its bytes, and a retry makes it received again") { subject in
            try await subject.receive(1, try await subject.bytes(.source(1, 5000)))
            try await subject.claimReceived(1)
            let conclusion = PreparationConclusion.failed(.decoderCrashed, message: "no memory")
            let failed = try await subject.store.concludePreparing(.numbered(1), as: conclusion, now: .second(2))
            try expectEqual(failed.state, .failed, "the state")
            try expectEqual(failed.attempts, 1, "attempts")
            try expectEqual(try await subject.store.nextDue(in: .received), nil, "the next due card")
            let retried = try await subject.store.retry(.numbered(1), by: .tester, now: .second(3))
            try expectEqual(retried.state, .received, "the state after the retry")
            try expectEqual(retried.attempts, 0, "attempts after the retry")
            try await subject.claimReceived(1, at: .second(4))
            try expectEqual(try await subject.source(of: 1), .source(1, 5000), "the source bytes")
        },
        Case("received cards are claimed by priority, then in their order, each by one owner") { subject in
            for (number, priority) in [(1, 0), (2, 5), (3, 0), (4, 5)] {
                let metadata = try CardMetadata.sample("CASE-\(number)", priority: priority)
                try await subject.receive(number, try await subject.bytes(.source(number, 10), metadata))
            }
            try await subject.receive(5, .address(5))
            try await subject.admit(try Sample(9).admission)
            let first = try await subject.store.claimReceived(limit: 3, until: .second(99), now: .second(1))
            try expectEqual(first.map(\.id), [2, 4, 1].map(CardID.numbered), "the first claim")
            let other = try await subject.another()
            let second = try await other.claimReceived(limit: 3, until: .second(99), now: .second(1))
            try expectEqual(second.map(\.id), [.numbered(3)], "the second claim")
            try expectEqual(try await subject.store.nextDue(in: .received), nil, "the next due card")
        },
        Case("the lease of a received or fetching card is renewed, handed back and taken from the dead") { subject in
            try await subject.receive(1, try await subject.bytes(.source(1, 10)))
            try await subject.receive(2, .address(2))
            let dying = try await subject.another()
            for second in [Int64(10), 20] {
                _ = try await dying.claimReceived(limit: 9, until: .second(second), now: .second(1))
                _ = try await dying.claimFetching(limit: 9, until: .second(second), now: .second(1))
                try await dying.renewLeases(until: .second(50))
                try expectEqual(try await subject.store.reclaimLeases(now: .second(49)), 0, "leases taken back early")
                try await dying.releaseLeases()
            }
            _ = try await dying.claimReceived(limit: 9, until: .second(50), now: .second(1))
            try expectEqual(
                try await dying.claimFetching(limit: 9, until: .second(50), now: .second(1)).count,
                1,
                "cards claimed"
            )
            try await subject.end(dying)
            try expectEqual(try await subject.store.reclaimLeases(now: .second(2)), 2, "leases of the dead owner")
            try await subject.claimReceived(1, at: .second(2))
            try await subject.claimFetching(2, at: .second(2))
            try await expectError(.conflict, "the conclusion of the dead owner") {
                _ = try await dying.concludePreparing(.numbered(1), as: .prepared(.sample(1)), now: .second(3))
            }
            // Nothing was sent anywhere.
            try expectEqual(
                try await subject.store.accessLog(of: .numbered(1), after: 0, limit: 9),
                [],
                "the access log"
            )
        },
        Case("a preparation is concluded only by whoever leases a received card, and changes nothing else") { subject in
            try await subject.receive(1, try await subject.bytes(.source(1, 10)))
            try await subject.admit(try Sample(2).admission)
            try await subject.claimOnly(.numbered(2))
            let before = try await subject.store.cards(matching: CardQuery(limit: 9))
            let conclusions: [PreparationConclusion] = [
                .prepared(.sample(7)), .rejected(.sourceTooLarge, message: "x"), .retry(at: .second(9)),
                .failed(.decoderCrashed, message: "x"),
            ]
            for conclusion in conclusions {
                for number in [1, 2] {
                    try await expectError(.conflict, "\(conclusion) of card \(number)") {
                        _ = try await subject.store.concludePreparing(
                            .numbered(number),
                            as: conclusion,
                            now: .second(5)
                        )
                    }
                }
            }
            try expectEqual(try await subject.store.cards(matching: CardQuery(limit: 9)), before, "the cards")
            try expectEqual(try await subject.source(of: 1), .source(1, 10), "the source bytes")
            try expectEqual(try await subject.store.preparedImage(of: .numbered(2)), .sample(2), "the other image")
        },
        Case("what a newer sending says of a received card is taken over, also while it is prepared") { subject in
            try await subject.receive(1, try await subject.bytes(.source(1, 10)))
            try await subject.claimReceived(1)
            var metadata = try CardMetadata.sample()
            metadata.side = .back
            let updated = try await subject.store.update(.numbered(1), with: metadata, now: .second(2))
            try expectEqual(updated.metadata, metadata, "the metadata")
            try expectEqual(updated.state, .received, "the state")
            let card = try await subject.store.concludePreparing(
                .numbered(1),
                as: .prepared(.sample(1)),
                now: .second(3)
            )
            try expectEqual(card.metadata, metadata, "the metadata of the prepared card")
        },
    ]
}
