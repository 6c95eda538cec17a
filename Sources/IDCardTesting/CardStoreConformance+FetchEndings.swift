import Foundation
import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let fetchEndings: [Case] = [
        Case("a fetched image that is here already is superseded, and the card that is here takes its metadata over") {
            subject in
            let bytes = Data.source(1, 5000)
            try await subject.receive(1, try await subject.bytes(bytes))
            var metadata = try CardMetadata.sample()
            metadata.expectedName = Redacted("样本甲")
            try await subject.fetch(2, bytes, metadata: metadata)
            let card = try await subject.complete(2, bytes)
            try expectEqual(card.state, .superseded, "the state")
            try expectEqual(card.reason, .duplicate, "the reason")
            try expect(card.message?.contains("card-1") == true, "the message names the card that is here")
            try expectEqual(try await subject.source(of: 2), Data(), "the source bytes")
            let known = try await subject.card(.numbered(1))
            try expectEqual(known.metadata, metadata, "the metadata of the card that is here")
            try expectEqual(known.state, .received, "its state")
        },
        Case("the place of a fetched duplicate is that of the card that is here: rejected, it may be fetched again") {
            subject in
            let bytes = Data.source(1, 5000)
            try await subject.receive(1, try await subject.bytes(bytes))
            try await subject.claimReceived(1)
            let reason = ReasonCode(rawValue: "image_corrupt")
            _ = try await subject.store.concludePreparing(
                .numbered(1),
                as: .rejected(reason, message: "x"),
                now: .second(2)
            )
            let place = FileIdentity(ImageAddress("https://images.example/1"))
            for number in 2...3 {
                // Twice: the second night the place leads to the rejected card again.
                try await subject.receive(number, .address(1, place: place))
                try await subject.claimFetching(number)
                let id = CardID.numbered(number)
                try await subject.store.keep(bytes, at: 0, of: id, version: .sample(bytes.count))
                try expectEqual(try await subject.complete(number, bytes).state, .superseded, "the duplicate")
                let known = try await subject.store.card(ofFile: place, businessNumber: try .sample("CASE-1"))
                try expectEqual(known?.id, .numbered(1), "the card of the place")
            }
        },
        Case("a fetch that was not begun is put off, or ended, without an attempt") { subject in
            try await subject.receive(1, .address(1))
            try await subject.claimFetching(1)
            let conclusions: [FetchConclusion] = [
                .retry(at: .second(5), costsAttempt: false), .failed(.attemptsExhausted, message: "x"),
            ]
            for conclusion in conclusions {
                let card = try await subject.store.concludeFetching(
                    .numbered(1),
                    as: conclusion,
                    attempt: nil,
                    now: .second(3)
                )
                try expectEqual(card.attempts, 0, "attempts")
                if card.state == .fetching { try await subject.claimFetching(1, at: .second(5)) }
            }
            try expectEqual(try await subject.card(.numbered(1)).state, .failed, "the state")
            try expectEqual(try await subject.events(of: 1), ["received", "failed"], "the events")
        },
        Case("a card that came in later says more than a fetch that took longer") { subject in
            let bytes = Data.source(1, 5000)
            try await subject.fetch(1, bytes, metadata: try .sample(priority: 9))
            let metadata = try CardMetadata.sample(priority: 1)
            try await subject.receive(2, try await subject.bytes(bytes, metadata))
            try expectEqual(try await subject.complete(1, bytes).state, .superseded, "the state")
            try expectEqual(try await subject.card(.numbered(2)).metadata.priority, 1, "the priority")
        },
        Case("the same image fetched twice is one card; under another business number it is another") { subject in
            let bytes = Data.source(1, 5000)
            try await subject.fetch(1, bytes)
            try await subject.fetch(2, bytes)
            try await subject.fetch(3, bytes, metadata: try .sample("CASE-2"))
            try expectEqual(try await subject.complete(1, bytes).state, .received, "the first")
            try expectEqual(try await subject.complete(2, bytes).state, .superseded, "the second")
            try expectEqual(try await subject.complete(3, bytes).state, .received, "the third")
            // From now on its bytes make it known.
            let again = try await subject.bytes(bytes)
            let outcome = try await subject.store.receive(again, as: .numbered(4), now: .second(9))
            try expectEqual(outcome, .duplicate(try await subject.card(.numbered(1))), "a sending of the bytes")
        },
        Case("only whoever leases a fetching card keeps pieces of it or concludes it, and nothing else changes") {
            subject in
            try await subject.receive(1, .address(1))
            try await subject.receive(2, try await subject.bytes(.source(2, 10)))
            let before = try await subject.store.cards(matching: CardQuery(limit: 9))
            let conclusions: [FetchConclusion] = [
                .complete(.sample("x")), .retry(at: .second(9), costsAttempt: true),
                .rejected(.sourceTooLarge, message: "x"), .failed(.attemptsExhausted, message: "x"),
            ]
            for number in [1, 2] {
                try await expectError(.conflict, "a piece of card \(number)") {
                    try await subject.store.keep(.source(3, 9), at: 0, of: .numbered(number), version: .sample(9))
                }
                for conclusion in conclusions {
                    try await expectError(.conflict, "\(conclusion) of card \(number)") {
                        _ = try await subject.conclude(number, as: conclusion)
                    }
                }
            }
            try await subject.claimFetching(1)
            let other = try await subject.another()
            try await expectError(.conflict, "a piece of another owner") {
                try await other.keep(.source(3, 9), at: 0, of: .numbered(1), version: .sample(9))
            }
            try expectEqual(try await subject.store.cards(matching: CardQuery(limit: 9)), before, "the cards")
            try expectEqual(try await subject.source(of: 1), Data(), "the source bytes of the first")
            try expectEqual(try await subject.source(of: 2), .source(2, 10), "the source bytes of the second")
            try expectEqual(try await subject.events(of: 1), ["received"], "the events")
        },
        Case("a card is erased at every stage before its image, and nothing of it is left") { subject in
            try await subject.fetch(2, .source(2, 100), metadata: try .sample("CASE-2"))
            try await subject.receive(1, .address(1))
            try await subject.receive(3, try await subject.bytes(.source(3, 100)))
            try await subject.receive(4, try await subject.bytes(.source(4, 100)))
            _ = try await subject.store.claimReceived(limit: 1, until: .second(99), now: .second(1))
            for number in 1...4 {
                let certificate = try await subject.erase(.numbered(number))
                // However far it came, nothing of it was sent anywhere.
                try expectEqual(certificate.verifier, .notSent, "the verifier of card \(number)")
                try expectEqual(certificate.backend, .notSent, "the backend of card \(number)")
                try expectEqual(try await subject.card(.numbered(number)).state, .erased, "the state")
                try expectEqual(try await subject.source(of: number), Data(), "the source bytes")
            }
            try await expectError(.conflict, "a piece of an erased card") {
                try await subject.store.keep(.source(2, 9), at: 0, of: .numbered(2), version: .sample(9))
            }
            try await expectError(.conflict, "the whole image of an erased card") {
                _ = try await subject.complete(2, .source(2, 100))
            }
            try await expectError(.conflict, "the preparation of an erased card") {
                _ = try await subject.store.concludePreparing(
                    .numbered(3),
                    as: .prepared(.sample(3)),
                    now: .second(60)
                )
            }
            try expectEqual(try await subject.store.stateCounts(), [.erased: 4], "the counts")
            try expectEqual(try await subject.store.queueDepth(upTo: 9), 0, "the depth of the queue")
        },
        Case("a conclusion that comes late, after the same owner has claimed the card anew, changes nothing") {
            subject in
            let received = try await subject.receive(1, try await subject.bytes(.source(1, 10)))
            let fetching = try await subject.receive(2, .address(2))
            try await subject.claimReceived(1)
            try await subject.claimFetching(2)
            _ = try await subject.store.concludePreparing(received, as: .retry(at: .second(2)), now: .second(2))
            _ = try await subject.conclude(2, as: .retry(at: .second(2), costsAttempt: true))
            try await subject.claimReceived(1, at: .second(3))
            try await subject.claimFetching(2, at: .second(3))
            try await expectError(.conflict, "a late preparation") {
                _ = try await subject.store.concludePreparing(received, as: .prepared(.sample(1)), now: .second(4))
            }
            try await expectError(.conflict, "a late end of fetching") {
                _ = try await subject.store.concludeFetching(
                    fetching,
                    as: .failed(.attemptsExhausted, message: "x"),
                    attempt: .ended(.transient),
                    now: .second(4)
                )
            }
            try expectEqual(try await subject.store.stateCounts(), [.received: 1, .fetching: 1], "the counts")
        },
        Case("attempts to fetch are nothing that the verification service has seen") { subject in
            try await subject.fetch(1, .source(1, 100))
            _ = try await subject.complete(1, .source(1, 100))
            let certificate = try await subject.erase(.numbered(1))
            try expectEqual(certificate.verifier, .notSent, "the verifier")
            let lines = try await subject.store.accessLog(of: .numbered(1), after: 0, limit: 9)
            try expectEqual(lines.map(\.action), [.erase], "the access log")
        },
        Case("a fetched card goes all the way to the verdict like any other") { subject in
            let bytes = Data.source(1, 100)
            try await subject.fetch(1, bytes)
            _ = try await subject.complete(1, bytes)
            try await subject.claimReceived(1, at: .second(4))
            _ = try await subject.store.concludePreparing(.numbered(1), as: .prepared(.sample(1)), now: .second(5))
            try await subject.claimOnly(.numbered(1), at: .second(6))
            let card = try await subject.store.conclude(
                .numbered(1),
                as: .judged(.front(), try Sample(1).readingKey, .accepted),
                attempt: .accepted,
                now: .second(7)
            )
            try expectEqual(card.state, .verified, "the state")
            let attempts = try await subject.events(of: 1)
            try expectEqual(
                attempts,
                ["received", "attempt", "received", "prepared", "attempt", "verified"],
                "the events"
            )
        },
    ]
}
