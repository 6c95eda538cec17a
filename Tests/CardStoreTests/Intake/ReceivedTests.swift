import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// Cards whose source bytes come over HTTP.
@Suite final class ReceivedTests: StoreSuite {
    private func photo(
        _ bytes: String,
        number: String = "N",
        submitter: String = "shop",
        receipt: Receipt? = nil
    ) -> NewCard {
        var photo = harness.received(bytes, number: number, submitter: submitter)
        photo.receipt = receipt
        return photo
    }

    private func sources() async throws -> Int64? {
        try await harness.value("SELECT count(*) FROM blob WHERE kind = 'source'")
    }

    private static func key(_ name: String, request: String = "request") -> Receipt {
        Receipt(kind: .idempotencyKey, name: name, request: ContentDigest(of: Data(request.utf8)))
    }

    // MARK: Preparing

    @Test func `a received source survives a kill, and goes when its image takes its place`() async throws {
        let bytes = String(repeating: "source ", count: 400_000)
        let card = try await harness.admit(photo(bytes)).card
        #expect(try await harness.state(card) == "received")
        #expect(try await harness.claimPreparation().jobs.count == 1)
        #expect(try await harness.claimPreparation().jobs.isEmpty)
        try await harness.killWorker()
        let job = try #require(try await harness.claimPreparation().jobs.first)
        #expect(job.content == Data(bytes.utf8))
        #expect(try await sources() == 3)
        let image = StoreHarness.image("small")
        #expect(
            try await harness.conclude(job, .success(image)).state == .prepared
        )
        #expect(try await sources() == 0)
        #expect(try await harness.claim().map(\.content.jpeg) == [Data("small".utf8)])
        #expect(try await harness.findings() == [])
    }

    @Test func `an image that cannot be used leaves no bytes, and is received anew when sent again`() async throws {
        let card = try await harness.admit(photo("torn")).card
        try await harness.refusePreparation()
        #expect(try await harness.state(card) == "rejected image_too_large_bytes")
        #expect(try await sources() == 0)
        await #expect(throws: CodedError.self) { try await harness.retry(card) }
        let again = try await harness.admit(photo("torn"))
        #expect(again.card == card && again.state == .received)
    }

    @Test func `preparing that fails for time or memory ends in time, and a retry has the source`() async throws {
        let card = try await harness.admit(photo("photo")).card
        let failure = CodedError(ReasonCode(rawValue: "image_memory"), .temporary, "there is no memory")
        for tries in 1...Limits.ownTries {
            let expected = tries < Limits.ownTries ? "received" : "failed image_memory"
            let job = try #require(try await harness.claimPreparation().jobs.first)
            try await harness.conclude(job, .failure(failure))
            #expect(try await harness.state(card) == expected)
            #expect(try await harness.claimPreparation().jobs.isEmpty)
            harness.pass(.seconds(5))
        }
        try await harness.retry(card)
        #expect(try await harness.claimPreparation().jobs.map(\.content) == [Data("photo".utf8)])
    }

    @Test(arguments: [
        Result.success(StoreHarness.image("late")), .failure(StoreHarness.tooLarge),
        .failure(CodedError(ReasonCode(rawValue: "image_memory"), .temporary, "there is no memory")),
    ])
    func `what a killed worker makes of a source late changes nothing`(
        _ end: Result<PreparedImage, CodedError>
    ) async throws {
        let card = try await harness.admit(photo("photo")).card
        let late = try #require(try await harness.claimPreparation().jobs.first)
        try await harness.killWorker()
        let job = try #require(try await harness.claimPreparation().jobs.first)
        try await harness.conclude(late, end)
        #expect(try await harness.state(card) == "received")
        #expect(try await harness.claimPreparation().jobs.isEmpty)
        #expect(try await sources() == 1)
        let image = StoreHarness.image("small")
        #expect(
            try await harness.conclude(job, .success(image)).state == .prepared
        )
    }

    @Test(arguments: [1, Limits.pieceSize - 1, Limits.pieceSize, Limits.pieceSize + 1, 2 * Limits.pieceSize])
    func `received bytes come back as they were, whatever their number`(byteCount: Int) async throws {
        var photo = photo("\(byteCount)")
        // No piece repeats another: 251 divides no size of a piece.
        let bytes = Data((0..<byteCount).map { UInt8($0 % 251) })
        photo.content = .received(bytes)
        try await harness.admit(photo)
        #expect(try await harness.claimPreparation().jobs.map(\.content) == [bytes])
    }

    @Test func `received cards are claimed by priority, then in the order of intake`() async throws {
        var ids: [CardID] = []
        for (index, priority) in [0, 5, 0, 5].enumerated() {
            var photo = photo("\(index)", number: "N\(index)")
            photo.metadata.priority = priority
            ids.append(try await harness.admit(photo).card)
        }
        let due = try await harness.store.stages.nextDue(in: .received, now: harness.now)
        #expect(due == Timestamp(millisecondsSinceEpoch: 0))
        let jobs = try await harness.store.stages.claimPreparation(by: harness.worker, limit: 3, now: harness.now).jobs
        #expect(jobs.map(\.card.id) == [ids[1], ids[3], ids[0]])
        #expect(try await harness.claimPreparation().jobs.map(\.card.id) == [ids[2]])
        #expect(try await harness.store.stages.nextDue(in: .received, now: harness.now) == nil)
    }

    @Test func `what is said of a card while it is prepared counts when it is judged`() async throws {
        let card = try await harness.admit(photo("photo")).card
        let job = try #require(try await harness.claimPreparation().jobs.first)
        var again = photo("photo")
        again.metadata.side = .back
        #expect(try await harness.admit(again).state == .received)
        #expect(try await harness.claimPreparation().jobs.isEmpty)
        try await harness.conclude(job, .success(StoreHarness.image("small")))
        #expect(try await harness.claim().map(\.card.metadata.side) == [.back])
        #expect(try await harness.state(card) == "prepared")
    }

    @Test(arguments: [true, false])
    func `the same bytes are one card, whether a file or a request brought them first`(fileIsFirst: Bool) async throws {
        let file = harness.photo("photo", number: "N", submitter: "shop")
        let request = photo("photo")
        let first = try await harness.admit(fileIsFirst ? file : request)
        let second = try await harness.admit(fileIsFirst ? request : file)
        #expect(second.card == first.card && second.isDuplicate)
        // What is prepared needs no source any more.
        #expect(second.state == .prepared)
        #expect(try await sources() == 0)
        #expect(try await harness.findings() == [])
    }

    @Test func `another submitter's source is held as it came, and prepared once a person accepts it`() async throws {
        let front = try await harness.verified("front", number: "N", .front)
        let other = try await harness.admit(photo("other", submitter: "two"))
        #expect(other.reason == .submitterConflict)
        #expect(try await harness.claimPreparation().jobs.isEmpty)
        #expect(try await harness.proposals() == [[front]])
        try await harness.resolve(other.card, .accept)
        #expect(try await harness.claimPreparation().jobs.map(\.content) == [Data("other".utf8)])
    }

    // MARK: Names of requests

    @Test func `the same request under its name is answered with its card, whatever became of it`() async throws {
        let first = try await harness.admit(photo("photo", receipt: Self.key("k")))
        #expect(!first.isReplay && !first.isDuplicate)
        let again = try await harness.admit(photo("photo", receipt: Self.key("k")))
        #expect(again.card == first.card && again.isReplay)
        #expect(try await harness.store.intake.outcome(of: Self.key("k"), from: "shop")?.card == first.card)
        try await harness.erase(first.card)
        #expect(try await harness.admit(photo("photo", receipt: Self.key("k"))).state == .erased)
    }

    @Test func `a name stands for one request of its submitter and kind, and another is refused`() async throws {
        let first = try await harness.admit(photo("photo", receipt: Self.key("k")))
        let another = photo("other", receipt: Self.key("k", request: "another"))
        #expect(await code { try await harness.admit(another) } == .requestReused)
        #expect(try await harness.value("SELECT count(*) FROM card", as: Int64.self) == 1)
        let theirs = photo("two", number: "M", submitter: "two", receipt: Self.key("k", request: "2"))
        #expect(try await harness.admit(theirs).card != first.card)
        let webhook = Receipt(kind: .webhook, name: "k", request: ContentDigest(of: Data("3".utf8)))
        #expect(try await !harness.admit(photo("three", receipt: webhook)).isReplay)
    }

    @Test func `a new name of the same image is remembered, and the old one says nothing any more`() async throws {
        var first = photo("photo", receipt: Self.key("k"))
        first.metadata.priority = 3
        let card = try await harness.admit(first).card
        var second = photo("photo", receipt: Self.key("l", request: "another"))
        second.metadata.priority = 5
        let outcome = try await harness.admit(second)
        #expect(outcome.card == card && outcome.isDuplicate && !outcome.isReplay)
        #expect(
            try await harness.store.intake.outcome(of: Self.key("l", request: "another"), from: "shop")?.card == card
        )
        #expect(try await harness.admit(first).isReplay)
        #expect(try await harness.card(card).metadata.priority == 5)
    }

    @Test func `of one request that comes several times at once exactly one is taken in`() async throws {
        let photos = (0..<8).map { _ in photo("photo", receipt: Self.key("k")) }
        let outcomes = try await harness.admitAtOnce(photos)
        #expect(outcomes.count { !$0.isReplay && !$0.isDuplicate } == 1)
        #expect(outcomes.count { $0.isReplay } == 7)
        #expect(Set(outcomes.map(\.card)).count == 1)
        #expect(try await harness.store.listings.counts() == [.received: 1])
    }
}

extension SandboxIntake {
    /// What became of a request that was answered before.
    func outcome(of receipt: Receipt, from submitter: String) async throws -> Admitted? {
        try await self.read { tx in try self.outcome(of: receipt, from: submitter, in: tx) }
    }
}
