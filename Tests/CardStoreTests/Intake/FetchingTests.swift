import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// Cards whose images are named by URL.
@Suite final class FetchingTests: StoreSuite {
    @Test func `what has come survives a kill, and the rest makes the card received`() async throws {
        let card = try await harness.address().card
        let first = try #require(try await harness.claimFetching().jobs.first)
        #expect(first.content.address == StoreHarness.address("front") && first.content.stored.isEmpty)
        try await harness.storeChunk("abc", at: 0, of: first, byteCount: 9)
        try await harness.storeChunk("gh", at: 6, of: first, byteCount: 9)
        try await harness.killWorker()
        let second = try #require(try await harness.claimFetching().jobs.first)
        #expect(second.content.stored == [0..<3, 6..<8])
        #expect(second.content.version == FetchedVersion(validator: "\"v1\"", byteCount: 9))
        await #expect(throws: CodedError.self) { try await harness.storeChunk("x", at: 0, of: first, byteCount: 9) }
        try await harness.storeChunk("def", at: 3, of: second, byteCount: 9)
        try await harness.storeChunk("i", at: 8, of: second, byteCount: 9)
        #expect(try await harness.conclude(second, .fetched)?.state == .received)
        #expect(try await harness.claimPreparation().jobs.map(\.content) == [Data("abcdefghi".utf8)])
        #expect(try await harness.state(card) == "received")
        #expect(try await harness.findings() == [])
    }

    @Test func `without a validator a later attempt begins at the first byte`() async throws {
        _ = try await harness.address()
        let job = try #require(try await harness.claimFetching().jobs.first)
        let version = FetchedVersion(validator: nil, byteCount: 9)
        try await harness.store.stages.storeChunk(Data("abc".utf8), at: 0, of: job, version: version)
        try await harness.killWorker()
        let again = try #require(try await harness.claimFetching().jobs.first)
        #expect(again.content.stored.isEmpty && again.content.version == nil)
        // Meanwhile it is another image, of a length that its host does not say.
        let unknown = FetchedVersion(validator: nil, byteCount: nil)
        try await harness.store.stages.storeChunk(Data("ne".utf8), at: 0, of: again, version: unknown)
        try await harness.store.stages.storeChunk(Data("w".utf8), at: 2, of: again, version: unknown)
        #expect(try await harness.conclude(again, .fetched)?.state == .received)
        #expect(try await harness.claimPreparation().jobs.map(\.content) == [Data("new".utf8)])
    }

    @Test func `the same address of the same number is the card that is there`() async throws {
        let first = try await harness.address()
        let again = try await harness.address()
        #expect(again.card == first.card && again.isDuplicate && again.state == .fetching)
        #expect(try await harness.address(number: "M").card != first.card)
        // What is said of it now counts.
        try await harness.address(priority: 9)
        #expect(try await harness.card(first.card).metadata.priority == 9)
    }

    @Test(arguments: [
        (FailureClass.rejected, 1, "rejected refused_by_remote"), (.transient, 5, "fetching"), (.stop, 5, "fetching"),
        (.throttled, 5, "fetching"), (.notSent, 5, "fetching"),
    ])
    func `a failure ends a card as its class says`(failureClass: FailureClass, tries: Int, end: String) async throws {
        let card = try await harness.address().card
        for _ in 0..<tries {
            #expect(try await harness.state(card) == "fetching")
            let job = try #require(try await harness.claimFetching().jobs.first)
            try await harness.conclude(job, .failed(.specimen(failureClass)))
            harness.pass(.seconds(2))
        }
        #expect(try await harness.state(card) == end)
    }

    @Test func `what a host refuses is asked for again while a message is young, however long a front waits`()
        async throws
    {
        let card = try await harness.address(submitter: "till").card
        for _ in 0..<10 {
            let job = try #require(try await harness.claimFetching().jobs.first)
            try await harness.conclude(job, .failed(.specimen(.rejected)))
            #expect(try await harness.state(card) == "fetching")
            #expect(try await harness.claimFetching().jobs.isEmpty)
            harness.pass(.seconds(60))
        }
        let job = try #require(try await harness.claimFetching().jobs.first)
        try await harness.conclude(job, .failed(.specimen(.rejected)))
        #expect(try await harness.state(card) == "rejected refused_by_remote")
    }

    @Test func `a host that is never reached is given up after a day`() async throws {
        let card = try await harness.address().card
        func attempt() async throws -> String {
            let job = try #require(try await harness.claimFetching().jobs.first)
            try await harness.conclude(job, .failed(.specimen(.notSent)))
            return try await harness.state(card)
        }
        // While no process was at work, nobody tried: neither before the first attempt nor between two.
        for _ in 0..<3 {
            harness.pass(.seconds(48 * 3600))
            #expect(try await attempt() == "fetching")
        }
        for _ in 0..<47 {
            harness.pass(.seconds(1800))
            #expect(try await attempt() == "fetching")
        }
        harness.pass(.seconds(1800))
        #expect(try await attempt() == "failed attempts_exhausted")
        try await harness.retry(card)
        #expect(try await harness.state(card) == "fetching")
    }

    @Test(arguments: [true, false])
    func `a host that asks for two hours restarts the day of its images while not called`(isCalled: Bool) async throws {
        var photo = harness.photo("remote", number: "N")
        photo.source = nil
        photo.content = .remote(StoreHarness.address("front"), host: "h:443")
        let card = try await harness.admit(photo).card
        let since = harness.now
        for _ in 0..<12 {
            let job = try #require(try await harness.claimFetching(from: "h:443").jobs.first)
            try await harness.conclude(job, .failed(.specimen(.throttled)))
            #expect(try await harness.state(card) == "fetching")
            // Another image of the host was told so; the process waits for it, or ends.
            let pause = EndpointPause(
                stage: .fetch,
                host: "h:443",
                after: RemoteFailure.specimen(.throttled),
                since: since,
                wait: Wait(from: harness.now, until: harness.now.advanced(by: .seconds(7200)))
            )
            if isCalled { try await harness.store.endpoints.pause(pause) }
            harness.pass(.seconds(7201))
        }
        let last = try #require(try await harness.claimFetching(from: "h:443").jobs.first)
        try await harness.conclude(last, .failed(.specimen(.throttled)))
        #expect(try await harness.state(card) == (isCalled ? "failed attempts_exhausted" : "fetching"))
    }

    @Test func `a forbidden address fails its card until a retry, an unusable image rejects it`() async throws {
        let card = try await harness.address().card
        let job = try #require(try await harness.claimFetching().jobs.first)
        let refusal = CodedError(ReasonCode(rawValue: "address_refused"), .input, "the address is private")
        try await harness.conclude(job, .forbidden(refusal))
        #expect(try await harness.state(card) == "failed address_refused")
        try await harness.retry(card)
        let again = try #require(try await harness.claimFetching().jobs.first)
        try await harness.conclude(again, .unusable(StoreHarness.tooLarge))
        #expect(try await harness.state(card) == "rejected image_too_large_bytes")
        #expect(try await harness.value("SELECT count(*) FROM blob", as: Int64.self) == 0)
    }

    @Test func `a card for which the disk has no room waits without an attempt`() async throws {
        let card = try await harness.address().card
        let job = try #require(try await harness.claimFetching().jobs.first)
        let later = harness.now.advanced(by: Limits.fetchSpaceWait)
        try await harness.conclude(job, .interrupted)
        #expect(try await harness.claimFetching().jobs.isEmpty)
        #expect(try await harness.store.stages.nextDue(in: .fetching, now: harness.now) == later)
        #expect(try await harness.value("SELECT count(*) FROM attempt", as: Int64.self) == 0)
        harness.pass(Limits.fetchSpaceWait)
        #expect(try await harness.claimFetching().jobs.map(\.card.id) == [card])
    }
}
