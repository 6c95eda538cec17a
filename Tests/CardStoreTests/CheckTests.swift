import CardModel
import Foundation
import Testing

@testable import CardStore

@Suite struct CheckTests {
    /// A card of the furnished sandbox stands in a statement as `$four`.
    static func damage(_ statements: String) -> String {
        statements.replacing(/\$(\w+)/) { "(SELECT id FROM card WHERE number = '\($0.1)')" }
    }

    /// What can be mended is planted in `RepairingTests`.
    @Test(arguments: [
        ("image_missing", "DELETE FROM blob WHERE kind = 'image' AND card IN $four"),
        ("delivered_image_missing", "DELETE FROM blob WHERE kind = 'image' AND card IN $one"),
        ("reading_missing", "DELETE FROM reading WHERE card IN $two"),
        ("file_damaged", "UPDATE card SET state = 'rejected' WHERE number = 'four'"),
        (
            "delivered_without_delivery",
            "DELETE FROM delivery_card WHERE card IN $one; UPDATE card SET delivery = NULL WHERE number = 'one'"
        ),
        ("delivering_without_delivery", "UPDATE card SET state = 'delivering' WHERE number = 'three'"),
        (
            "delivery_without_members",
            "UPDATE card SET state = 'failed', reason = 'attempts_exhausted' WHERE number = 'two'"
        ),
        (
            "member_not_delivering",
            "INSERT INTO delivery_card (delivery, position, card) SELECT delivery, 1, $three FROM card WHERE number = 'two'"
        ),
        (
            "not_a_member",
            "UPDATE card SET delivery = (SELECT delivery FROM card WHERE number = 'two') WHERE number = 'one'"
        ),
        (
            "in_two_deliveries",
            "INSERT INTO delivery_card (delivery, position, card) SELECT delivery, 1, $two FROM card WHERE number = 'five'"
        ),
        ("file_damaged", "UPDATE delivery SET parts = NULL"),
        ("delivery_without_attempt", "DELETE FROM attempt WHERE stage = 'deliver' AND ended_at IS NULL"),
        ("unknown_without_delivery", "UPDATE delivery_card SET outcome_unknown = 0"),
        ("file_damaged", "UPDATE delivery SET parts = x'00' WHERE state = 'delivered'"),
        ("file_damaged", "UPDATE cases SET disputed = 1, holder = NULL WHERE number = 'three'"),
        ("file_damaged", "UPDATE card SET reason = NULL WHERE state = 'held'"),
        ("file_damaged", "UPDATE card SET worker = 'w1' WHERE number = 'three'"),
        ("file_damaged", "UPDATE delivery SET worker = 'w1' WHERE state = 'delivered'"),
        ("case_wrong", "UPDATE cases SET state = 'complete' WHERE number = 'four'"),
        ("case_wrong", "UPDATE cases SET cause_card = NULL WHERE number = 'five'"),
        ("key_missing", "DELETE FROM card_key WHERE card IN $one"),
        ("erased_with_remains", "UPDATE card SET state = 'erased' WHERE number = 'four'"),
        ("reference_missing", "UPDATE card SET worker = 'nobody' WHERE number = 'four'"),
        ("log_broken", "UPDATE access_log SET purpose = 'other' WHERE number = 2"),
        ("log_gap", "DELETE FROM access_log WHERE number = 2"),
        ("log_end_missing", "DELETE FROM access_log WHERE number = (SELECT max(number) FROM access_log)"),
        ("seal_broken", "UPDATE card SET metadata = x'00' WHERE number = 'four'"),
        ("seal_broken", "UPDATE card_key SET wrapped = x'00' WHERE card IN $one"),
        ("seal_broken", "UPDATE blob SET bytes = x'00' WHERE kind = 'image'"),
        ("seal_broken", "UPDATE reading SET bytes = x'00'"),
        ("seal_broken", "UPDATE event SET message = x'00' WHERE state = 'held'"),
        ("seal_broken", "UPDATE delivery SET parts = x'00' WHERE state = 'open'"),
    ])
    func `planted damage is found under its own code`(code: String, damage: String) async throws {
        let harness = try await StoreHarness.furnished()
        try await harness.plant(Self.damage(damage))
        // A card in another state makes the state of its case wrong, and the counts of states.
        let findings = try await harness.store.upkeep.check()
            .filter { $0.code == code || !["case_wrong", "count_wrong"].contains($0.code) }
        #expect(Set(findings.map(\.code)) == [code])
        let aboutSandbox = [
            "file_damaged", "reference_missing", "log_broken", "log_gap", "log_end_missing",
        ]
        #expect(findings.allSatisfy { $0.code == "case_wrong" || ($0.card == nil) == aboutSandbox.contains($0.code) })
    }

    @Test func `every rule has a code of its own and finds cards by it`() {
        let codes = CheckRule.all.map(\.code)
        #expect(Set(codes).count == codes.count)
        #expect(codes.count >= 18)
    }

    @Test func `a rule names the repair exactly if that mends it`() {
        for rule in CheckRule.all {
            let isMendable = SandboxFinding(code: rule.code, message: rule.message).isMendable
            #expect(rule.message.text().hasSuffix(": idcard-pipeline fsck --repair") == isMendable, "\(rule.code)")
        }
    }

    @Test func `a damaged file is found`() async throws {
        let harness = try await StoreHarness.furnished()
        let root: SQL = "SELECT rootpage FROM sqlite_master WHERE name = 'event_card'"
        let page = try #require(try await harness.value(root, as: Int.self))
        try await harness.plant("PRAGMA wal_checkpoint(TRUNCATE)")
        try harness.store.close()
        let file = try FileHandle(forUpdating: URL(filePath: "\(harness.folder)/sandbox.sqlite3"))
        try file.seek(toOffset: UInt64((page - 1) * 8192))
        try file.write(contentsOf: Data(count: 8192))
        try file.close()
        harness.store = try await harness.another()
        #expect(Set(try await harness.findings()) == ["file_damaged"])
    }
}

extension StoreHarness {
    /// A sandbox with a card in every state that matters: `one` is delivered, `two` under way, `three` waits for its front,
    /// `four` is new, `five` is held with a kept delivery.
    static func furnished() async throws -> StoreHarness {
        let harness = try await StoreHarness()
        try await harness.sent("one", number: "one", .accepted)
        _ = try await harness.delivering("two", number: "two")
        try await harness.sent("five", number: "five", .failure(.unknown), onUnknown: .hold)
        _ = try await harness.verified("three", number: "three", .back)
        _ = try await harness.begin()
        try await harness.admit("four", number: "four")
        return harness
    }
}
