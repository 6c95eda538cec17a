import CardModel
import Foundation
import Testing

@testable import CardStore

/// Cards whose images are named by URL.
@Suite struct FetchingTests {
    private static let address = Redacted("https://photos.example/front.jpg?signature=SECRET")
    private static let version = FetchedVersion(validator: "\"v1\"", byteCount: 9)
    private static let terms = RetryTerms(maxAttempts: 3, delay: .seconds(1))

    private static func admit(
        _ harness: StoreHarness,
        number: String = "N",
        address: Redacted<String> = Self.address
    ) async throws -> AdmissionOutcome {
        var photo = harness.photo("remote", number: number)
        photo.source = nil
        photo.content = .remote(address)
        return try await harness.store.admit([photo], now: harness.now)[0]
    }

    private static func claim(_ harness: StoreHarness) async throws -> [FetchJob] {
        try await harness.store.claimFetching(by: harness.worker, limit: 10, untriedFirst: false, now: harness.now)
    }

    @discardableResult
    private static func conclude(
        _ harness: StoreHarness,
        _ job: FetchJob,
        _ outcome: FetchOutcome
    ) async throws -> CardChange {
        let conclusion = FetchConclusion.ended(outcome, startedAt: harness.now, Self.terms)
        return try await harness.store.conclude(job, with: conclusion, now: harness.now)
    }

    @Test func `what has come survives a kill, and the rest makes the card received`() async throws {
        let harness = try await StoreHarness()
        let card = try await Self.admit(harness).card
        let first = try #require(try await Self.claim(harness).first)
        #expect(first.request.address == Self.address && first.request.kept.isEmpty)
        try await harness.store.keep(Data("abc".utf8), at: 0, of: first, version: Self.version)
        try await harness.store.keep(Data("gh".utf8), at: 6, of: first, version: Self.version)
        try await harness.killWorker()
        let second = try #require(try await Self.claim(harness).first)
        #expect(second.request.kept == [0..<3, 6..<8])
        #expect(second.request.version == Self.version)
        await #expect(throws: CodedError.self) {
            try await harness.store.keep(Data("x".utf8), at: 0, of: first, version: Self.version)
        }
        try await harness.store.keep(Data("def".utf8), at: 3, of: second, version: Self.version)
        try await harness.store.keep(Data("i".utf8), at: 8, of: second, version: Self.version)
        #expect(try await Self.conclude(harness, second, .fetched).state == .received)
        let jobs = try await harness.store.claimPreparation(by: harness.worker, limit: 1, now: harness.now)
        #expect(jobs.map(\.source) == [Data("abcdefghi".utf8)])
        #expect(try await harness.state(card) == "received")
        #expect(try await harness.findings() == [])
    }

    @Test func `bytes of another version replace what is there`() async throws {
        let harness = try await StoreHarness()
        _ = try await Self.admit(harness)
        let job = try #require(try await Self.claim(harness).first)
        try await harness.store.keep(Data("old old".utf8), at: 0, of: job, version: Self.version)
        let newer = FetchedVersion(validator: "\"v2\"", byteCount: 3)
        try await harness.store.keep(Data("new".utf8), at: 0, of: job, version: newer)
        try await Self.conclude(harness, job, .fetched)
        let jobs = try await harness.store.claimPreparation(by: harness.worker, limit: 1, now: harness.now)
        #expect(jobs.map(\.source) == [Data("new".utf8)])
    }

    @Test func `without a validator a later attempt begins at the first byte`() async throws {
        let harness = try await StoreHarness()
        _ = try await Self.admit(harness)
        let job = try #require(try await Self.claim(harness).first)
        let version = FetchedVersion(validator: nil, byteCount: 9)
        try await harness.store.keep(Data("abc".utf8), at: 0, of: job, version: version)
        try await harness.killWorker()
        let again = try #require(try await Self.claim(harness).first)
        #expect(again.request.kept.isEmpty && again.request.version == nil)
    }

    @Test func `the same address of the same number is the card that is there`() async throws {
        let harness = try await StoreHarness()
        let first = try await Self.admit(harness)
        let again = try await Self.admit(harness)
        #expect(again.card == first.card && again.isDuplicate && again.state == .fetching)
        #expect(try await Self.admit(harness, number: "M").card != first.card)
    }

    @Test func `an image that is there already under its number ends as a duplicate of that card`() async throws {
        let harness = try await StoreHarness()
        let front = try await harness.admit("front", number: "N")
        let remote = try await Self.admit(harness)
        let job = try #require(try await Self.claim(harness).first)
        try await harness.store.keep(Data("front".utf8), at: 0, of: job, version: Self.version)
        try await Self.conclude(harness, job, .fetched)
        #expect(try await harness.state(remote.card) == "superseded duplicate")
        #expect(try await Self.admit(harness).card == front.card)
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: [
        (FailureClass.rejected, 1, "rejected refused_by_remote"), (.transient, 3, "failed attempts_exhausted"),
        (.stop, 3, "failed attempts_exhausted"), (.throttled, 5, "fetching"), (.notSent, 5, "fetching"),
    ])
    func `a failure ends a card as its class says`(failureClass: FailureClass, tries: Int, end: String) async throws {
        let harness = try await StoreHarness()
        let card = try await Self.admit(harness).card
        for _ in 0..<tries {
            #expect(try await harness.state(card) == "fetching")
            let job = try #require(try await Self.claim(harness).first)
            try await Self.conclude(harness, job, .failed(StoreHarness.failure(failureClass)))
            harness.pass(.seconds(2))
        }
        #expect(try await harness.state(card) == end)
    }

    @Test func `a host that is never reached is given up after a day`() async throws {
        let harness = try await StoreHarness()
        let card = try await Self.admit(harness).card
        harness.pass(.seconds(24 * 3600))
        let job = try #require(try await Self.claim(harness).first)
        try await Self.conclude(harness, job, .failed(StoreHarness.failure(.notSent)))
        #expect(try await harness.state(card) == "failed attempts_exhausted")
        try await harness.retry(card)
        #expect(try await harness.state(card) == "fetching")
    }

    @Test func `a forbidden address fails its card, which a retry tries again; an unusable image rejects it`()
        async throws
    {
        let harness = try await StoreHarness()
        let card = try await Self.admit(harness).card
        let job = try #require(try await Self.claim(harness).first)
        let refusal = CodedError(ReasonCode(rawValue: "address_refused"), .input, "the address is private")
        try await Self.conclude(harness, job, .forbidden(refusal))
        #expect(try await harness.state(card) == "failed address_refused")
        try await harness.retry(card)
        let again = try #require(try await Self.claim(harness).first)
        try await Self.conclude(harness, again, .unusable(CodedError(.sourceTooLarge, .input, "too large")))
        #expect(try await harness.state(card) == "rejected image_too_large_bytes")
        #expect(try await harness.value("SELECT count(*) FROM blob", as: Int64.self) == 0)
    }

    @Test func `a card whose host has no place waits without an attempt`() async throws {
        let harness = try await StoreHarness()
        let card = try await Self.admit(harness).card
        let job = try #require(try await Self.claim(harness).first)
        let later = harness.now.advanced(by: .seconds(30))
        try await harness.store.conclude(job, with: .postponed(until: later), now: harness.now)
        #expect(try await Self.claim(harness).isEmpty)
        #expect(try await harness.store.nextFetching() == later)
        #expect(try await harness.value("SELECT count(*) FROM attempt", as: Int64.self) == 0)
        harness.pass(.seconds(30))
        #expect(try await Self.claim(harness).map(\.card.id) == [card])
    }
}
