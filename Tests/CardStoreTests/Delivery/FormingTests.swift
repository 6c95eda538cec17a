import CardModel
import TestSupport
import Testing

@testable import CardStore

/// What becomes one delivery, and when.
@Suite final class FormingTests: StoreSuite {
    @Test func `a delivery, its first attempt and its lines in the access log come in one commit`() async throws {
        _ = try await harness.verified("front", number: "N", .front)
        let commits = try await CommitCount(of: harness.store)
        let job = try #require(try await harness.begin().first)
        #expect(commits.value == 1)
        let attempt: Int64? = try await harness.value("SELECT id FROM attempt WHERE subject = \(job.id)")
        #expect(attempt == job.attempt)
        #expect(try await harness.value("SELECT count(*) FROM access_log WHERE action = 'deliver'", as: Int.self) == 1)
        #expect(try await harness.findings() == [])
    }

    @Test func `images that together are too large for one delivery go in several, a large one alone`() async throws {
        for index in 0..<4 { _ = try await harness.verified("\(index)", number: "N\(index)", .front) }
        let members = try await harness.groups().joined()
        // "jpeg of 0": nine bytes each.
        for (most, count) in [(1, 1), (9, 1), (17, 1), (18, 2), (35, 3), (36, 4), (1_000, 4)] {
            let fitting = try await harness.store.members(Array(members), within: most)
            #expect(fitting.members == Array(members.prefix(count)), "\(most) bytes")
            #expect(fitting.isFull == (most <= 36), "\(most) bytes")
        }
    }

    @Test func `cards of one form that name different accounts are held until one is corrected`() async throws {
        let front = try await harness.verified("front", number: "N", .front)
        let back = try await harness.verified("back", number: "N", .back)
        let mismatch = RemoteFailure(.rejected, code: "member_mismatch", message: "two accounts")
        let changes = try await harness.store.failForming([front, back], because: mismatch, now: harness.now)
        #expect(changes.map(\.state) == [.held, .held])
        #expect(try await harness.state(front) == "held member_mismatch")
        #expect(try await harness.begin(StoreHarness.together).isEmpty)
        try await harness.admit("back", number: "N") { $0.userNumber = Redacted("U") }
        #expect(try await harness.state(front) == "verified")
        try await harness.verify([back: (.back, nil)])
        #expect(try await harness.begin(StoreHarness.together).map(\.members) == [[front, back]])
        #expect(try await harness.findings() == [])
    }

    @Test func `a person's word sends cards of different accounts one by one`() async throws {
        let front = try await harness.verified("front", number: "N", .front)
        let back = try await harness.verified("back", number: "N", .back)
        let mismatch = RemoteFailure(.rejected, code: "member_mismatch", message: "two accounts")
        try await harness.store.failForming([front, back], because: mismatch, now: harness.now)
        for card in [front, back] { try await harness.resolve(card, .accept) }
        let job = try #require(try await harness.begin(StoreHarness.together).first)
        #expect(job.members == [front])
        try await harness.conclude(job, .accepted)
        #expect(try await harness.begin(StoreHarness.together).map(\.members) == [[back]])
    }

    @Test func `cards that cannot be put into a form for another reason fail`() async throws {
        let front = try await harness.verified("front", number: "N", .front)
        let refusal = RemoteFailure(.rejected, code: "field_invalid", message: "no")
        try await harness.store.failForming([front], because: refusal, now: harness.now)
        #expect(try await harness.state(front) == "failed refused_by_remote")
    }

    /// Two cards of different numbers, as they were proposed together.
    private func twoNumbers() async throws -> ([CardID], [DeliveryMember]) {
        let cards = [
            try await harness.verified("one", number: "N", .front),
            try await harness.verified("two", number: "M", .front),
        ]
        return (cards, try await harness.groups().flatMap(\.self))
    }

    @Test(arguments: [nil, "N", "M"] as [String?])
    func `a delivery of several numbers is formed only while the cards of each may go`(changed: String?) async throws {
        let (cards, members) = try await twoNumbers()
        #expect(Set(members.map(\.card)) == Set(cards))
        if let changed { try await harness.admit("late", number: changed) }
        #expect(try await harness.begin(members)?.members == (changed == nil ? members.map(\.card) : nil))
        for card in cards { #expect(try await harness.card(card).state == (changed == nil ? .delivering : .verified)) }
        #expect(try await harness.findings() == [])
    }

    @Test func `a form that was built before its sender named another account is not sent`() async throws {
        let (cards, members) = try await twoNumbers()
        try await harness.admit("one", number: "N") { $0.userNumber = Redacted("U") }
        #expect(try await harness.begin(members) == nil)
        let again = try await harness.groups().flatMap(\.self)
        #expect(again.first { $0.card == cards[0] }?.userNumber?.reveal() == "U")
        #expect(try await harness.begin(again) != nil)
    }

    @Test func `while the endpoint fails, numbers of which a card has failed are left out`() async throws {
        let later = DeliveryItemOutcome.notApplied(.specimen(.transient))
        let failed = try await harness.sent("failed", number: "N", .items([later]))
        harness.pass(.seconds(1))
        let new = try await harness.verified("new", number: "M", .front)
        for untriedOnly in [true, false] {
            let proposed = Set(try await harness.groups(untriedOnly: untriedOnly).joined().map(\.card))
            #expect(proposed == (untriedOnly ? [new] : [failed, new]))
        }
    }

    @Test func `cards that are to go alone since they were put together go one by one`() async throws {
        let (cards, members) = try await twoNumbers()
        #expect(members.count == 2 && members.allSatisfy { !$0.isSplit })
        // Another process sends both and is refused as a whole.
        let refused = try #require(try await harness.begin(members))
        try await harness.conclude(refused, .failure(.rejected))
        #expect(try await harness.begin(members) == nil)
        for card in cards { #expect(try await harness.state(card) == "verified") }
        for member in members { #expect(try await harness.begin([member])?.members == [member.card]) }
        #expect(try await harness.findings() == [])
    }
}

extension StoreHarness {
    /// Forms one delivery of cards that were proposed before.
    func begin(_ members: [DeliveryMember]) async throws -> DeliveryJob? {
        let id = self.id().rawValue
        let outbound = try await self.outbound("key of \(id)", [], of: members)
        return try await self.store.begin(
            DeliveryID(rawValue: id),
            of: members,
            as: outbound,
            by: self.worker,
            terms: Self.terms,
            now: self.now
        )
    }
}
