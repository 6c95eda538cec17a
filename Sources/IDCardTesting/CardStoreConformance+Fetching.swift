import Foundation
import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let fetching: [Case] = [
        Case("an address is a card that is to be fetched, each one of its own") { subject in
            let card = try await subject.receive(1, .address(1), at: .second(5))
            try expectEqual(card.state, .fetching, "the state")
            try expectEqual(card.intakeOrder, 1, "the place")
            // The same address again is no duplicate: what lies there may have changed.
            try await subject.receive(2, .address(1), at: .second(6))
            try expectEqual(try await subject.store.nextDue(in: .fetching), .second(5), "the next due card")
            let jobs = try await subject.store.claimFetching(limit: 9, until: .second(99), now: .second(7))
            let expected = FetchJob(
                card: card,
                address: ImageAddress("https://images.example/1?signature=secret")
            )
            try expectEqual(jobs.first, expected, "the job")
            try expectEqual(jobs.map(\.card.id), [.numbered(1), .numbered(2)], "the jobs")
            try expectEqual(try await subject.source(of: 1), Data(), "the source bytes")
        },
        Case("pieces that have arrived outlive their owner, and what is missing is known") { subject in
            let bytes = Data.source(1, 3000)
            try await subject.receive(1, .address(1))
            let dying = try await subject.another()
            _ = try await dying.claimFetching(limit: 1, until: .second(99), now: .second(1))
            let version = FetchedVersion.sample(3000)
            try await dying.keep(Data(bytes[2000..<3000]), at: 2000, of: .numbered(1), version: version)
            try await dying.keep(Data(bytes[0..<1000]), at: 0, of: .numbered(1), version: version)
            try await subject.end(dying)
            _ = try await subject.store.reclaimLeases(now: .second(2))
            let job = try await subject.claimFetching(1, at: .second(2))
            try expectEqual(job.version, version, "the version")
            try expectEqual(job.pieces, [0..<1000, 2000..<3000], "the pieces")
            try expectEqual(
                try await subject.store.source(of: .numbered(1), at: 2500),
                Data(bytes[2500...]),
                "what was kept"
            )
            try expectEqual(try await subject.store.source(of: .numbered(1), at: 1500), Data(), "what is missing")
            try await expectError(.corrupt, "an image with a gap") {
                _ = try await subject.complete(1, bytes)
            }
            try expectEqual(try await subject.card(.numbered(1)).state, .fetching, "the state")
            try await subject.store.keep(Data(bytes[1000..<2000]), at: 1000, of: .numbered(1), version: version)
            let card = try await subject.complete(1, bytes)
            try expectEqual(card.state, .received, "the state of the whole image")
            try expectEqual(try await subject.source(of: 1), bytes, "the source bytes")
            try await subject.claimReceived(1, at: .second(4))
            let events = try await subject.events(of: 1)
            try expectEqual(events, ["received", "attempt", "received"], "the events")
        },
        Case("an image shorter or longer than announced is not whole") { subject in
            for (number, count) in [(1, 900), (2, 1100)] {
                try await subject.receive(number, .address(number))
                try await subject.claimFetching(number)
                let bytes = Data.source(number, count)
                try await subject.store.keep(bytes, at: 0, of: .numbered(number), version: .sample(1000))
                try await expectError(.corrupt, "\(count) of 1000 bytes") {
                    _ = try await subject.complete(number, bytes)
                }
            }
            try await subject.receive(3, .address(3))
            try await subject.claimFetching(3)
            try await expectError(.corrupt, "no bytes at all") { _ = try await subject.complete(3, Data()) }
        },
        Case("pieces of another version are dropped before one of the new is kept") { subject in
            try await subject.receive(1, .address(1))
            try await subject.claimFetching(1)
            let store = subject.store
            let id = CardID.numbered(1)
            try await store.keep(.source(1, 1000), at: 0, of: id, version: .sample(nil))
            try await store.keep(.source(2, 500), at: 1000, of: id, version: .sample(5000))
            // The size was not known before, and need not be said again: still the same version.
            try await store.keep(.source(3, 500), at: 4000, of: id, version: .sample(nil))
            try await store.releaseLeases()
            let job = try await subject.claimFetching(1)
            try expectEqual(job.pieces, [0..<1000, 1000..<1500, 4000..<4500], "the pieces of one version")
            try expectEqual(job.version, .sample(5000), "the version")
            for version in [FetchedVersion.sample(5000, validator: "\"v2\""), .sample(4999, validator: "\"v2\"")] {
                try await store.keep(.source(4, 10), at: 100, of: id, version: version)
                try await store.releaseLeases()
                let job = try await subject.claimFetching(1)
                try expectEqual(job.pieces, [100..<110], "the pieces of \(version)")
                try expectEqual(job.version, version, "the version")
            }
        },
        Case("pieces of a version without a validator are not resumed") { subject in
            try await subject.receive(1, .address(1))
            try await subject.claimFetching(1)
            let version = FetchedVersion.sample(2000, validator: nil)
            let bytes = Data.source(1, 2000)
            try await subject.store.keep(Data(bytes[..<1000]), at: 0, of: .numbered(1), version: version)
            try await subject.store.releaseLeases()
            let job = try await subject.claimFetching(1)
            try expectEqual(job.pieces, [], "the pieces")
            try expectEqual(job.version, nil, "the version")
            for start in [0, 1000] {
                let piece = Data(bytes[start..<(start + 1000)])
                try await subject.store.keep(piece, at: start, of: .numbered(1), version: version)
            }
            try expectEqual(try await subject.complete(1, bytes).state, .received, "the state")
            try expectEqual(try await subject.source(of: 1), bytes, "the source bytes")
        },
        Case("a piece takes the place of all that it covers, even in part") { subject in
            try await subject.receive(1, .address(1))
            try await subject.claimFetching(1)
            for (start, count, number) in [(0, 100, 1), (100, 100, 2), (200, 100, 3), (100, 100, 4), (250, 100, 5)] {
                let piece = Data.source(number, count)
                try await subject.store.keep(piece, at: start, of: .numbered(1), version: .sample(nil))
            }
            try await subject.store.releaseLeases()
            let job = try await subject.claimFetching(1)
            try expectEqual(job.pieces, [0..<100, 100..<200, 250..<350], "the pieces")
            let again = try await subject.store.source(of: .numbered(1), at: 100)
            try expectEqual(again, .source(4, 100), "what was written anew")
        },
        Case("a fetch that did not succeed is tried again, and counts as the engine says") { subject in
            try await subject.receive(1, .address(1))
            try await subject.claimFetching(1)
            try await subject.store.keep(.source(1, 10), at: 0, of: .numbered(1), version: .sample(100))
            let costly = try await subject.conclude(1, as: .retry(at: .second(20), costsAttempt: true))
            try expectEqual(costly.state, .fetching, "the state")
            try expectEqual(costly.attempts, 1, "attempts")
            try expectEqual(try await subject.store.nextDue(in: .fetching), .second(20), "the next due card")
            let job = try await subject.claimFetching(1, at: .second(20))
            try expectEqual(job.pieces, [0..<10], "the pieces")
            let free = try await subject.conclude(1, as: .retry(at: .second(30), costsAttempt: false))
            try expectEqual(free.attempts, 1, "attempts after a throttling")
            let early = try await subject.store.claimFetching(limit: 9, until: .second(99), now: .second(29))
            try expectEqual(early, [], "cards claimed early")
        },
        Case("a fetch whose attempts are used up fails, and a retry goes on with the pieces that are there") {
            subject in
            try await subject.receive(1, .address(1))
            try await subject.claimFetching(1)
            try await subject.store.keep(.source(1, 10), at: 0, of: .numbered(1), version: .sample(100))
            let failed = try await subject.conclude(1, as: .failed(.attemptsExhausted, message: "x"))
            try expectEqual(failed.state, .failed, "the state")
            try expectEqual(failed.attempts, 1, "attempts")
            let retried = try await subject.store.retry(.numbered(1), by: .tester, now: .second(5))
            try expectEqual(retried.state, .fetching, "the state after the retry")
            try expectEqual(retried.attempts, 0, "attempts after the retry")
            try expectEqual(try await subject.claimFetching(1, at: .second(6)).pieces, [0..<10], "the pieces")
        },
        Case("a fetch that is refused is rejected for good, with nothing kept") { subject in
            try await subject.fetch(1, .source(1, 10))
            let reason = ReasonCode(rawValue: "address_forbidden")
            let card = try await subject.conclude(1, as: .rejected(reason, message: "x"))
            try expectEqual(card.state, .rejected, "the state")
            try expectEqual(card.reason, reason, "the reason")
            try expectEqual(try await subject.source(of: 1), Data(), "the source bytes")
            try await expectError(.conflict, "a retry") {
                _ = try await subject.store.retry(.numbered(1), by: .tester, now: .second(5))
            }
        },
    ]
}

extension StoreSubject {
    /// Concludes the fetching of a card as whole.
    func complete(_ number: Int, _ bytes: Data) async throws -> Card {
        try await self.store.concludeFetching(
            .numbered(number),
            as: .complete(ContentDigest(of: bytes)),
            attempt: .accepted,
            now: .second(3)
        )
    }

    /// Concludes an attempt to fetch that did not succeed.
    func conclude(_ number: Int, as conclusion: FetchConclusion) async throws -> Card {
        try await self.store.concludeFetching(
            .numbered(number),
            as: conclusion,
            attempt: .ended(.transient),
            now: .second(3)
        )
    }
}
