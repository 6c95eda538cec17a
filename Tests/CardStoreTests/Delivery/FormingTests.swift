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
            let fitting = try await harness.store.deliveries.members(Array(members), within: most)
            #expect(fitting.members == Array(members.prefix(count)), "\(most) bytes")
            #expect(fitting.isFull == (most <= 36), "\(most) bytes")
        }
    }

    @Test func `cards of one form that name different accounts are held until one is corrected`() async throws {
        let front = try await harness.verified("front", number: "N", .front)
        let back = try await harness.verified("back", number: "N", .back)
        let mismatch = RemoteFailure(.rejected, code: "member_mismatch", message: "two accounts")
        let changes = try await harness.store.deliveries.failForming(
            [front, back],
            because: mismatch,
            now: harness.now
        )
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
        try await harness.store.deliveries.failForming([front, back], because: mismatch, now: harness.now)
        for card in [front, back] { try await harness.resolve(card, .accept) }
        let job = try #require(try await harness.begin(StoreHarness.together).first)
        #expect(job.members == [front])
        try await harness.conclude(job, .accepted)
        #expect(try await harness.begin(StoreHarness.together).map(\.members) == [[back]])
    }

    @Test func `cards that cannot be put into a form for another reason fail`() async throws {
        let front = try await harness.verified("front", number: "N", .front)
        let refusal = RemoteFailure(.rejected, code: "field_invalid", message: "no")
        try await harness.store.deliveries.failForming([front], because: refusal, now: harness.now)
        #expect(try await harness.state(front) == "failed refused_by_remote")
    }

    /// Two cards of different numbers, as they were proposed together.
    private func twoNumbers() async throws -> ([CardID], [DeliveryProposal]) {
        let cards = [
            try await harness.verified("one", number: "N", .front),
            try await harness.verified("two", number: "M", .front),
        ]
        return (cards, try await harness.proposed())
    }

    @Test(arguments: [nil, "N", "M"] as [String?])
    func `a delivery of several numbers is formed only while the cards of each may go`(changed: String?) async throws {
        let (cards, proposals) = try await twoNumbers()
        #expect(Set(proposals.flatMap(\.groups).joined().map(\.card)) == Set(cards))
        if let changed { try await harness.admit("late", number: changed) }
        let beginning = try await harness.begin(proposals)
        #expect(beginning.job.map { Set($0.members) } == (changed == nil ? Set(cards) : nil))
        #expect(beginning.moved.map(\.rawValue) == [changed].compactMap(\.self))
        for card in cards { #expect(try await harness.card(card).state == (changed == nil ? .delivering : .verified)) }
        #expect(try await harness.findings() == [])
    }

    @Test func `a form that was built before its sender named another account is not sent`() async throws {
        let (cards, proposals) = try await twoNumbers()
        try await harness.admit("one", number: "N") { $0.userNumber = Redacted("U") }
        #expect(try await harness.begin(proposals).job == nil)
        let again = try await harness.proposed()
        #expect(again.flatMap(\.groups).joined().first { $0.card == cards[0] }?.userNumber?.reveal() == "U")
        #expect(try await harness.begin(again).job != nil)
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
        let (cards, proposals) = try await twoNumbers()
        #expect(proposals.flatMap(\.groups).joined().map(\.isSplit) == [false, false])
        // Another process sends both and is refused as a whole.
        let refused = try #require(try await harness.begin(proposals).job)
        try await harness.conclude(refused, .failure(.rejected))
        #expect(try await harness.begin(proposals).job == nil)
        for card in cards { #expect(try await harness.state(card) == "verified") }
        for proposal in try await harness.proposed() {
            let job = try await harness.begin([proposal]).job
            #expect(proposal.groups.joined().map(\.isSplit) == [true])
            #expect(job?.members == proposal.groups.first?.map(\.card))
        }
        #expect(try await harness.findings() == [])
    }
}

extension StoreHarness {
    /// Forms one delivery of what was proposed before.
    func begin(_ proposals: [DeliveryProposal]) async throws -> DeliveryBeginning {
        let id = self.id().rawValue
        let members = proposals.compactMap(\.groups.first).flatMap(\.self)
        let outbound = try await self.outbound("key of \(id)", [], of: members)
        return try await self.store.deliveries.begin(
            DeliveryID(rawValue: id),
            of: members,
            proposed: proposals,
            as: outbound,
            by: self.worker,
            now: self.now
        )
    }
}

extension DeliveryBeginning {
    var job: DeliveryJob? { if case .begun(let job) = self { job } else { nil } }
    var moved: Set<BusinessNumber> { if case .moved(let numbers) = self { numbers } else { [] } }
}
