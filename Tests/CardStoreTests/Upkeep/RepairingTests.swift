import CardModel
import Foundation
import Testing

@testable import CardStore

@Suite struct RepairingTests {
    private static func repair(_ harness: StoreHarness) async throws -> (mended: Set<String>, left: [String]) {
        let result = try await harness.store.upkeep.repair(by: StoreHarness.person, now: harness.now)
        return (Set(result.mended.map(\.code)), result.left.map(\.code))
    }

    @Test(arguments: [
        ("attempt_of_nobody", "UPDATE attempt SET worker = 'nobody' WHERE ended_at IS NULL"),
        ("never_decided", "UPDATE card SET reason = NULL WHERE number = 'three'"),
        ("delivered_not_noted", "UPDATE cases SET front_delivered = NULL"),
        ("second_holder", "UPDATE card SET holder = x'01' WHERE number = 'one'"),
        ("second_holder", "UPDATE cases SET holder = NULL WHERE number = 'one'"),
        ("order_ahead", "UPDATE store SET next_order = next_order - 1"),
        (
            "kept_without_card",
            "UPDATE card SET state = 'rejected', reason = 'rejected_by_operator' WHERE number = 'five'"
        ),
        ("erased_with_remains", "UPDATE card SET state = 'erased', was_delivered = 0 WHERE number = 'four'"),
        ("reading_missing", "DELETE FROM reading WHERE card IN $three"),
        ("count_wrong", "INSERT INTO state_total VALUES ('delivered', 1, 0)"),
        ("count_wrong", "INSERT INTO state_total VALUES ('erased', 0, 1)"),
        ("case_wrong", "UPDATE cases SET state = NULL, cause = NULL, cause_card = NULL, since = NULL"),
    ])
    func `what can be mended without a risk is, and nothing is left`(code: String, damage: String) async throws {
        let harness = try await StoreHarness.furnished()
        try await harness.plant(CheckTests.damage(damage))
        // A card in another state makes the state of its case wrong, and the counts of states.
        let alike = ["case_wrong", "count_wrong"]
        let found = try await harness.store.upkeep.check().filter { $0.code == code || !alike.contains($0.code) }
        #expect(Set(found.map(\.code)) == [code])
        #expect(found.allSatisfy { $0.isMendable && ($0.card != nil || alike.contains(code)) })
        let (mended, left) = try await Self.repair(harness)
        #expect(mended.subtracting(alike).union([code]) == [code] && mended.contains(code))
        #expect(left == [])
    }

    @Test func `a call of nobody counts as one that may have arrived`() async throws {
        let harness = try await StoreHarness.furnished()
        try await harness.plant("UPDATE attempt SET worker = 'nobody' WHERE ended_at IS NULL")
        _ = try await Self.repair(harness)
        let count = try await harness.value(
            """
            SELECT count(*) FROM delivery WHERE state = 'open' AND may_be_applied = 1 AND id IN (
                SELECT subject FROM attempt WHERE class = 'unknown' AND code = 'interrupted')
            """,
            as: Int.self
        )
        #expect(count == 1)
    }

    @Test func `an erasure that was cut off is ended with its reason`() async throws {
        let harness = try await StoreHarness.furnished()
        let id = try await harness.admit("six", number: "six").card
        try harness.store.upkeep.erasureList.append([
            ErasureList.Entry(card: id, reason: ReasonCode(rawValue: "holder_request"))
        ])
        #expect(try await Self.repair(harness).mended == ["erasure_cut_off"])
        #expect(try await harness.state(id) == "erased holder_request")
    }

    @Test func `where many cases stand is set page by page, so that others may write in between`() async throws {
        let harness = try await StoreHarness.furnished()
        try await harness.plant(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
            INSERT INTO cases (number, key, submitter, state, since, front_delivered)
            SELECT 'many-' || i, 'many-' || i, 'local', 'complete', 0, 1 FROM n
            """
        )
        let commits = try await CommitCount(of: harness.store)
        let (mended, left) = try await Self.repair(harness)
        #expect(mended == ["case_wrong"] && left == [])
        #expect(commits.value > 3)
        #expect(
            try await harness.value("SELECT count(*) FROM cases WHERE state IS NULL AND number LIKE 'many-%'") == 2_500
        )
    }

    @Test func `what a person must decide is left as it is`() async throws {
        let harness = try await StoreHarness.furnished()
        let image = CheckTests.damage("DELETE FROM blob WHERE kind = 'image' AND card IN $four")
        try await harness.plant("\(image); UPDATE store SET next_order = next_order - 1")
        let (mended, left) = try await Self.repair(harness)
        #expect(mended == ["order_ahead"])
        #expect(left == ["image_missing"])
        #expect(try await Self.repair(harness).left == ["image_missing"])
    }
}
