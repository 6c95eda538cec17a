import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// Which bytes of an image that is fetched count, and what becomes of its card.
@Suite final class FetchEndingTests: StoreSuite {
    /// What a host said of the bytes it sent second, after `v1`, and which bytes are there then.
    struct Second: Sendable {
        var firstSize: Int?
        var size: Int?
        var validator = "v1"
        var kept: [Range<Int>]
    }

    @Test(arguments: [
        Second(firstSize: nil, size: 9, kept: [0..<3, 5..<8]), Second(firstSize: 9, size: nil, kept: [0..<3, 5..<8]),
        Second(firstSize: nil, size: nil, kept: [0..<3, 5..<8]), Second(firstSize: 9, size: 9, kept: [0..<3, 5..<8]),
        Second(firstSize: 9, size: 8, kept: [5..<8]), Second(firstSize: 9, size: 9, validator: "v2", kept: [5..<8]),
    ])
    func `bytes are of one version while neither validator nor a said size differs`(second: Second) async throws {
        try await harness.address()
        let job = try #require(try await harness.claimFetching().jobs.first)
        let version = FetchedVersion(validator: "v1", byteCount: second.firstSize)
        try await harness.store.stages.storeChunk(Data("abc".utf8), at: 0, of: job, version: version)
        let other = FetchedVersion(validator: second.validator, byteCount: second.size)
        try await harness.store.stages.storeChunk(Data("fgh".utf8), at: 5, of: job, version: other)
        try await harness.killWorker()
        let again = try #require(try await harness.claimFetching().jobs.first)
        #expect(again.content.stored == second.kept)
        let isOne = second.kept.count == 2
        #expect(again.content.version?.byteCount == second.size ?? (isOne ? second.firstSize : nil))
    }

    @Test func `a piece takes the place of all that it covers, even in part`() async throws {
        try await harness.address()
        let job = try #require(try await harness.claimFetching().jobs.first)
        for (offset, bytes) in [(0, "aaaa"), (4, "bbbb"), (8, "cccc"), (4, "BBBB"), (10, "DDDD")] {
            try await harness.storeChunk(bytes, at: offset, of: job, byteCount: 14)
        }
        try await harness.killWorker()
        let again = try #require(try await harness.claimFetching().jobs.first)
        #expect(again.content.stored == [0..<8, 10..<14])
        try await harness.storeChunk("cc", at: 8, of: again, byteCount: 14)
        try await harness.conclude(again, .fetched)
        #expect(try await harness.claimPreparation().jobs.map(\.content) == [Data("aaaaBBBBccDDDD".utf8)])
    }

    @Test(arguments: [[(0, "ab")], [(0, "abcde")], [(0, "a"), (2, "cd")], [(1, "bcd")], []])
    func `an image not as long as was said is fetched from its first byte`(pieces: [(Int, String)]) async throws {
        let card = try await harness.address().card
        let job = try #require(try await harness.claimFetching().jobs.first)
        for (offset, bytes) in pieces { try await harness.storeChunk(bytes, at: offset, of: job, byteCount: 4) }
        #expect(try await harness.conclude(job, .fetched)?.state == .fetching)
        #expect(try await harness.claimFetching().jobs.isEmpty)
        harness.pass(.seconds(1))
        let again = try #require(try await harness.claimFetching().jobs.first)
        #expect(again.content.stored.isEmpty && again.content.version == nil && again.tries == 1)
        try await harness.storeChunk("abcd", at: 0, of: again, byteCount: 4)
        try await harness.conclude(again, .fetched)
        #expect(try await harness.state(card) == "received")
    }

    @Test func `a fetch whose attempts are used up goes on with its bytes when it is retried`() async throws {
        let card = try await harness.address().card
        var tries = 0
        while try await harness.state(card) == "fetching" {
            let job = try #require(try await harness.claimFetching().jobs.first)
            #expect(job.content.stored == (tries == 0 ? [] : [0..<3]))
            try await harness.storeChunk("abc", at: 0, of: job, byteCount: 9)
            try await harness.conclude(job, .failed(.specimen(.transient)))
            harness.pass(.seconds(1800))
            tries += 1
        }
        #expect(tries > 48, "a day, whatever the number of attempts")
        #expect(try await harness.state(card) == "failed attempts_exhausted")
        try await harness.retry(card)
        #expect(try await harness.card(card).failures == 0)
        #expect(try await harness.claimFetching().jobs.map(\.content.stored) == [[0..<3]])
    }

    @Test func `the same image of two addresses is one card of a number, which its bytes make known`() async throws {
        var states: [String] = []
        for (name, number) in [("one", "N"), ("two", "N"), ("one", "M")] {
            let job = try await harness.fetching("photo", from: name, number: number)
            try await harness.conclude(job, .fetched)
            states.append(try await harness.state(job.card.id))
        }
        #expect(states == ["received", "superseded duplicate", "received"])
        let one = try await harness.address("one").card
        let sent = try await harness.admit("photo", number: "N")
        #expect(sent.card == one && sent.isDuplicate)
        #expect(try await harness.address("two").card == one)
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: [true, false])
    func `what was said of an image that is here counts, unless its card came in later`(isLater: Bool) async throws {
        if !isLater { try await harness.admit("photo", number: "N", priority: 1) }
        let job = try await harness.fetching("photo", priority: 9)
        let card = try await harness.admit("photo", number: "N", priority: 1).card
        try await harness.conclude(job, .fetched)
        #expect(try await harness.state(job.card.id) == "superseded duplicate")
        #expect(try await harness.card(card).metadata.priority == (isLater ? 1 : 9))
    }

    @Test func `an image whose card left no bytes is received again when an address brings it`() async throws {
        let card = try await harness.admit(harness.received("photo")).card
        try await harness.refusePreparation()
        #expect(try await harness.state(card) == "rejected image_too_large_bytes")
        let job = try await harness.fetching("photo")
        try await harness.conclude(job, .fetched)
        #expect(try await harness.state(job.card.id) == "superseded duplicate")
        #expect(try await harness.claimPreparation().jobs.map(\.card.id) == [card])
        #expect(try await harness.address().card == card)
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: ["preparation", "size", "host"])
    func `the address of a rejected card is fetched when it is named again`(_ refusal: String) async throws {
        let first = try await harness.fetching("photo")
        switch refusal {
        case "size": try await harness.conclude(first, .unusable(StoreHarness.tooLarge))
        case "host": try await harness.conclude(first, .failed(.specimen(.rejected)))
        default:
            try await harness.conclude(first, .fetched)
            try await harness.refusePreparation()
        }
        #expect(try await harness.card(first.card.id).state == .rejected)
        let again = try await harness.fetching("photo")
        #expect(again.card.id == first.card.id)
        try await harness.conclude(again, .fetched)
        #expect(try await harness.state(first.card.id) == "received")
        #expect(try await harness.claimPreparation().jobs.map(\.content) == [Data("photo".utf8)])
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: ["fetched", "failed", "forbidden", "unusable", "postponed"])
    func `what a killed worker learns late changes nothing for the fetch under way`(_ end: String) async throws {
        let late = try await harness.fetching("photo")
        try await harness.killWorker()
        let job = try #require(try await harness.claimFetching().jobs.first)
        switch end {
        case "fetched": try await harness.conclude(late, .fetched)
        case "failed": try await harness.conclude(late, .failed(.specimen(.rejected)))
        case "forbidden": try await harness.conclude(late, .forbidden(StoreHarness.tooLarge))
        case "unusable": try await harness.conclude(late, .unusable(StoreHarness.tooLarge))
        default: try await harness.conclude(late, .interrupted)
        }
        #expect(try await harness.state(job.card.id) == "fetching")
        #expect(try await harness.claimFetching().jobs.isEmpty)
        #expect(try await harness.conclude(job, .fetched)?.state == .received)
    }

    @Test func `a fetched card goes all the way, and only the verifier has seen it`() async throws {
        let job = try await harness.fetching("photo")
        try await harness.conclude(job, .fetched)
        let preparation = try #require(try await harness.claimPreparation().jobs.first)
        let image = StoreHarness.image("small")
        try await harness.conclude(preparation, .success(image))
        try await harness.verify([:])
        let details = try await harness.store.listings.reveal(job.card.id, to: StoreHarness.person, now: harness.now)
        #expect(details.steps.map(\.state) == [.fetching, .received, .prepared, .verified])
        #expect(details.calls.map(\.stage) == [.fetch, .verify])
        #expect(try await harness.accessLog().map(\.[0]) == ["verify", "reveal"])
    }
}

extension StoreHarness {
    static func address(_ name: String) -> Redacted<String> {
        Redacted("https://photos.example/\(name).jpg?signature=SECRET")
    }

    /// Takes a photo in that is named by URL.
    @discardableResult
    func address(
        _ name: String = "front",
        number: String = "N",
        priority: Int = 0,
        submitter: String = "local"
    ) async throws -> Admitted {
        var photo = self.photo("remote", number: number, priority: priority)
        photo.submitter = submitter
        photo.source = nil
        photo.content = .remote(Self.address(name))
        return try await self.store.intake.admit([photo], now: self.now)[0]
    }

    func claimFetching(from host: String? = nil) async throws -> Claimed<FetchJob> {
        let (worker, now) = (self.worker, self.now)
        return try await self.store.stages.claimFetching(
            from: host,
            by: worker,
            limit: 10,
            untriedFirst: false,
            now: now
        )
    }

    func claimPreparation() async throws -> Claimed<PreparationJob> {
        try await self.store.stages.claimPreparation(by: self.worker, limit: 10, now: self.now)
    }

    func storeChunk(_ bytes: String, at offset: Int, of job: FetchJob, byteCount: Int) async throws {
        let version = FetchedVersion(validator: "\"v1\"", byteCount: byteCount)
        try await self.store.stages.storeChunk(Data(bytes.utf8), at: offset, of: job, version: version)
    }

    /// Takes a photo in by URL and fetches all its bytes.
    func fetching(
        _ bytes: String,
        from name: String = "front",
        number: String = "N",
        priority: Int = 0
    ) async throws -> FetchJob {
        let card = try await self.address(name, number: number, priority: priority).card
        let job = try #require(try await self.claimFetching().jobs.first { $0.card.id == card })
        try await self.storeChunk(bytes, at: 0, of: job, byteCount: bytes.utf8.count)
        return job
    }

    @discardableResult
    func conclude(_ job: FetchJob, _ outcome: FetchOutcome) async throws -> CardChange? {
        try await self.store.stages.conclude(
            job,
            with: outcome,
            startedAt: self.now,
            retryDelay: .seconds(1),
            now: self.now
        )
    }

    /// The source of the one received card makes no usable image.
    func refusePreparation() async throws {
        let job = try #require(try await self.claimPreparation().jobs.first)
        try await self.conclude(job, .failure(Self.tooLarge))
    }
}
