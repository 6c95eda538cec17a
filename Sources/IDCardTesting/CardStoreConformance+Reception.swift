import Foundation
import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let reception: [Case] = [
        Case("received bytes are a card in its own place, and come back as they were") { subject in
            for (number, count) in [(1, 1), (2, 300_000), (3, 2 << 20), (4, (2 << 20) + 77)] {
                let bytes = Data.source(number, count)
                let spooled = try await subject.spool(bytes)
                try expectEqual(spooled.byteCount, count, "the size")
                try expectEqual(spooled.digest, ContentDigest(of: bytes), "the digest")
                try expectEqual(spooled.head, Data(bytes.prefix(64)), "the first bytes")
                let reception = Reception(metadata: try .sample(), source: .bytes(spooled))
                let card = try await subject.receive(number, reception, at: .second(5))
                let expected = Card(
                    id: .numbered(number),
                    state: .received,
                    metadata: try .sample(),
                    intakeOrder: Int64(number),
                    createdAt: .second(5),
                    changedAt: .second(5)
                )
                try expectEqual(card, expected, "the card returned")
                try expectEqual(try await subject.card(.numbered(number)), expected, "the card kept")
                try expectEqual(try await subject.source(of: number), bytes, "the source bytes")
                let details = try require(try await subject.store.details(of: .numbered(number)), "details")
                try expectEqual(details.imageByteCount, nil, "the size of the image")
                let event = CardEvent(at: .second(5), kind: "received", state: .received)
                try expectEqual(details.events, [event], "the events")
            }
            try await expectError(.notFound, "the image") {
                _ = try await subject.store.preparedImage(of: .numbered(1))
            }
            try expectEqual(try await subject.store.reserveIntakeOrders(1), 5, "the next place")
        },
        Case("bytes of any offset are found, and none behind the last") { subject in
            let bytes = Data.source(1, (1 << 20) + 5000)
            try await subject.receive(1, try await subject.bytes(bytes))
            for offset in [0, 1, 262_144, (1 << 20) - 1, 1 << 20, bytes.count - 1] {
                let found = try await subject.store.source(of: .numbered(1), at: offset)
                try expect(!found.isEmpty, "bytes at \(offset)")
                try expectEqual(found, Data(bytes.dropFirst(offset).prefix(found.count)), "bytes at \(offset)")
            }
            try expectEqual(try await subject.store.source(of: .numbered(1), at: bytes.count), Data(), "the end")
        },
        Case("the same bytes under the same business number are one card, whatever brought them first") { subject in
            let bytes = Data.source(1, 5000)
            let first = try await subject.receive(1, try await subject.bytes(bytes))
            var metadata = try CardMetadata.sample()
            metadata.expectedName = Redacted("样本甲")
            metadata.priority = 7
            let reception = try await subject.bytes(bytes, metadata)
            var known = first
            known.metadata = metadata
            let outcome = try await subject.store.receive(reception, as: .numbered(2), now: .second(3))
            try expectEqual(outcome, .duplicate(known), "the second sending")
            try expectEqual(try await subject.card(.numbered(1)), known, "the card with what was said later")
            try await subject.receive(3, try await subject.bytes(bytes, try .sample("CASE-2")))
            try expectEqual(try await subject.store.stateCounts(), [.received: 2], "the counts")
            // A file that holds the same bytes is the same card, too, and the other way round.
            let digest = ContentDigest(of: bytes)
            let file = try await subject.store.recognise(
                digest,
                metadata: metadata,
                file: .sample(),
                now: .second(4)
            )
            try expectEqual(file?.id, .numbered(1), "the card of the file")
            try await subject.admit(try Sample(9).admission)
            let sent = try await subject.bytes(Data("source 9".utf8))
            let again = try await subject.store.receive(sent, as: .numbered(10), now: .second(5))
            guard case .duplicate(let card) = again else {
                throw ConformanceFailure(message: "bytes of a file are new: \(again)", location: "reception")
            }
            try expectEqual(card.id, .numbered(9), "the card of the bytes")
        },
        Case("of concurrent receptions of equal bytes exactly one is admitted") { subject in
            let other = try await subject.another()
            let reception = try await subject.bytes(.source(1, 300_000))
            let outcomes = try await withThrowingTaskGroup(of: ReceptionOutcome.self) { group in
                for number in 1...8 {
                    let store = number.isMultiple(of: 2) ? subject.store : other
                    group.addTask { try await store.receive(reception, as: .numbered(number), now: .second(0)) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try expectEqual(outcomes.count { if case .admitted = $0 { true } else { false } }, 1, "admissions")
            try expectEqual(try await subject.store.stateCounts(), [.received: 1], "the counts")
        },
        Case("an address that is named again by a manifest is its card, unless that was rejected") { subject in
            let place = FileIdentity(ImageAddress("https://images.example/1"))
            let number = try CardMetadata.sample().businessNumber
            let card = try await subject.receive(1, .address(1, place: place, order: 77))
            try expectEqual(card.intakeOrder, 77, "its place among the inputs")
            let known = try await subject.store.card(ofFile: place, businessNumber: number)
            try expectEqual(known, card, "the card of the place")
            let again = try Reception.address(1, .sample(priority: 3), place: place)
            let outcome = try await subject.store.receive(again, as: .numbered(2), now: .second(2))
            guard case .duplicate(let updated) = outcome else {
                throw ConformanceFailure(message: "the address counts as new: \(outcome)", location: "place")
            }
            try expectEqual(updated.id, .numbered(1), "the card of the second naming")
            try expectEqual(updated.metadata.priority, 3, "what was said later")
            // Somebody who sends once, and another case, are nobody's repetition.
            try await subject.receive(3, .address(1))
            try await subject.receive(4, .address(1, try .sample("CASE-2"), place: place))
            try expectEqual(try await subject.store.reserveIntakeOrders(1), 3, "the next place")
        },
        Case("the address of a rejected card may lead to another image by now; that of an erased one counts") {
            subject in
            let place = FileIdentity(ImageAddress("https://images.example/1"))
            try await subject.receive(1, .address(1, place: place))
            try await subject.claimFetching(1)
            _ = try await subject.conclude(1, as: .rejected(.sourceTooLarge, message: "x"))
            try await subject.receive(2, .address(1, place: place))
            try await subject.erase(.numbered(2))
            let outcome = try await subject.store.receive(.address(1, place: place), as: .numbered(3), now: .second(3))
            guard case .duplicate(let tombstone) = outcome else {
                throw ConformanceFailure(message: "an erased card comes back: \(outcome)", location: "place")
            }
            try expectEqual(tombstone.id, .numbered(2), "the tombstone")
            try expectEqual(tombstone.state, .erased, "its state")
        },
        Case("the depth of the queue counts what the pipeline still moves, up to a limit") { subject in
            try expectEqual(try await subject.store.queueDepth(upTo: 9), 0, "the depth of nothing")
            for number in 1...3 { try await subject.receive(number, try await subject.bytes(.source(number, 10))) }
            try await subject.receive(4, .address(4))
            try await subject.admit(try Sample(5).admission)
            try await subject.admit(try Sample(6, content: .refused(.sourceTooLarge, message: "x")).admission)
            try expectEqual(try await subject.store.queueDepth(upTo: 9), 5, "the depth")
            try expectEqual(try await subject.store.queueDepth(upTo: 2), 2, "the depth up to a limit")
        },
        Case("a verified card that waits for a person or another photo takes no place in the queue") { subject in
            let card = try await subject.verified(try Sample(1))
            let waits: [(reason: ReasonCode?, depth: Int, waiting: Int)] =
                [(.waitsForRetry, 1, 0), (nil, 1, 0)] + ReasonCode.askingAPerson.map { ($0, 0, 1) }
                + ReasonCode.awaitingPhotos.map { ($0, 0, 0) } + [(nil, 1, 0)]
            for wait in waits {
                let basis = try await subject.store.snapshot(of: .sample("CASE-1"))
                let change = ApplicationChange(waitReasons: [card.id: wait.reason])
                try expect(try await subject.store.apply(change, basis: basis, now: .second(7)) != nil, "it is applied")
                let depth = try await subject.store.queueDepth(upTo: 9)
                try expectEqual(depth, wait.depth, "the depth with \(wait.reason?.rawValue ?? "no reason")")
                let waiting = try await subject.store.waitingDepth(upTo: 9)
                try expectEqual(waiting, wait.waiting, "those that wait for a person")
            }
            try await subject.judged(try Sample(2), .held(.legalityUnavailable, message: "sample"))
            try expectEqual(try await subject.store.waitingDepth(upTo: 9), 1, "with one held")
            try expectEqual(try await subject.store.waitingDepth(upTo: 0), 0, "up to a limit")
        },
    ]
}
