import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// Every rule of the check finds what breaks it, and nothing in a sandbox that is whole.
struct DamageCheckTests {
    /// A damage done by SQL, and what must be found.
    struct Damage: Sendable, CustomTestStringConvertible {
        let code: SandboxFinding.Code
        let subject: String?
        let sql: [String]

        var words: String { "\(self.code.rawValue) \(self.subject ?? "-")" }
        var testDescription: String { "\(self.code.rawValue): \(self.sql.joined(separator: "; "))" }

        init(_ code: SandboxFinding.Code, _ subject: String?, _ sql: String...) {
            (self.code, self.subject, self.sql) = (code, subject, sql)
        }
    }

    let sandbox = CheckedSandbox()

    @Test("a sandbox that is whole has nothing to find, opened images or not", arguments: [false, true])
    func whole(quick: Bool) async throws {
        try await self.sandbox.fill()
        let report = try await self.sandbox.check(quick: quick)
        #expect(report.words.isEmpty, "\(report.words)")
        #expect(report.isClean)
        #expect(report.cardCount == 5)
        #expect(report.imageCount == 4)
        #expect(report.deliveryCount == 2)
    }

    static let irreparable: [Damage] = [
        Damage(.historyImpossible, "card-4", "INSERT INTO erasure (card, certificate) VALUES ('card-4', '{}')"),
        Damage(.imageMissing, CheckedSandbox.delivering, "DELETE FROM image WHERE card = 'card-1'"),
        Damage(
            .imageMissing,
            "card-4",
            "UPDATE card SET state = 'held', reason = 'x' WHERE id = 'card-4'",
            "DELETE FROM image WHERE card = 'card-4'"
        ),
        Damage(.imageSize, "card-4", "UPDATE image SET width = 0 WHERE card = 'card-4'"),
        Damage(.imageSize, "card-4", "UPDATE image SET byte_count = 999999 WHERE card = 'card-4'"),
        Damage(
            .imageDamaged,
            CheckedSandbox.delivering,
            "UPDATE image SET jpeg = zeroblob(50000) WHERE card = 'card-1'"
        ),
        Damage(.readingMissing, "card-3", "DELETE FROM reading WHERE card = 'card-3'"),
        Damage(.sideMissing, "card-3", "UPDATE card SET side = NULL WHERE id = 'card-3'"),
        Damage(.reasonMissing, "card-5", "UPDATE card SET reason = NULL WHERE id = 'card-5'"),
        Damage(.valueImpossible, "card-4", "UPDATE card SET business_no = ' ' WHERE id = 'card-4'"),
        Damage(.businessNumberRefused, "card-4", "UPDATE card SET business_no = '1.23457E+15' WHERE id = 'card-4'"),
        Damage(.valueImpossible, "card-4", "UPDATE card SET content_fingerprint = x'00' WHERE id = 'card-4'"),
        Damage(.valueImpossible, "delivery-1", "UPDATE delivery SET boundary = '' WHERE id = 'delivery-1'"),
        Damage(.valueUnreadable, "card-3", "UPDATE reading SET content = x'00' WHERE card = 'card-3'"),
        Damage(.valueUnreadable, "delivery-1", "UPDATE delivery SET parts = x'00' WHERE id = 'delivery-1'"),
        Damage(
            .contentTwice,
            "card-4",
            "DROP INDEX card_content",
            "UPDATE card SET business_no = 'CASE-3', content_fingerprint = (SELECT content_fingerprint FROM card WHERE id = 'card-3') WHERE id = 'card-4'"
        ),
        Damage(
            .sideTwice,
            "card-3",
            "UPDATE card SET state = 'delivering', delivery = 'delivery-1', business_no = 'CASE-1' WHERE id = 'card-3'"
        ),
        Damage(.historyMissing, "card-4", "DELETE FROM event WHERE card = 'card-4'"),
        Damage(.historyDisagrees, "card-4", "UPDATE card SET state = 'failed', reason = 'x' WHERE id = 'card-4'"),
        Damage(
            .historyImpossible,
            "card-2",
            "INSERT INTO event (card, at, kind, state) VALUES ('card-2', 1, 'verified', 'verified')"
        ),
        Damage(
            .deliveredTwice,
            "card-2",
            "INSERT INTO event (card, at, kind, state) VALUES ('card-2', 1, 'delivered', 'delivered')"
        ),
        Damage(
            .backAstray,
            "card-1",
            "INSERT INTO event (id, card, at, kind, state, code) VALUES (900, 'card-2', 1, 'held', 'held', 'holder_conflict')",
            "UPDATE event SET id = 901 WHERE card = 'card-1' AND kind = 'delivering'",
            "UPDATE card SET side = 'back', business_no = 'CASE-2' WHERE id = 'card-1'"
        ),
        Damage(
            .backLeftHeld,
            "card-4",
            "UPDATE card SET side = 'front' WHERE id = 'card-2'",
            "UPDATE card SET state = 'held', reason = 'front_refused', side = 'back', business_no = (SELECT business_no FROM card WHERE id = 'card-2') WHERE id = 'card-4'"
        ),
        Damage(.deliveringAstray, "card-1", "UPDATE delivery SET state = 'rejected' WHERE id = 'delivery-1'"),
        Damage(.deliveringAstray, "card-1", "DELETE FROM delivery_card WHERE card = 'card-1'"),
        Damage(.deliveringAstray, "card-1", "UPDATE card SET delivery = 'delivery-2' WHERE id = 'card-1'"),
        Damage(
            .deliveringAstray,
            "card-1",
            "UPDATE delivery SET state = 'open' WHERE id = 'delivery-2'",
            "INSERT INTO delivery_card VALUES ('delivery-2', 1, 'card-1')"
        ),
        Damage(.memberState, "delivery-1", "UPDATE card SET state = 'delivered' WHERE id = 'card-1'"),
        Damage(.memberState, "delivery-2", "UPDATE card SET state = 'delivering' WHERE id = 'card-2'"),
        Damage(.memberState, "delivery-2", "UPDATE delivery SET state = 'rejected' WHERE id = 'delivery-2'"),
        Damage(.memberState, "delivery-2", "UPDATE delivery SET state = 'dissolved' WHERE id = 'delivery-2'"),
        Damage(.memberOrder, "delivery-1", "DELETE FROM delivery_card WHERE delivery = 'delivery-1'"),
        Damage(.memberOrder, "delivery-1", "UPDATE delivery_card SET position = 1 WHERE delivery = 'delivery-1'"),
        Damage(
            .mixedAccounts,
            "delivery-1",
            "UPDATE card SET state = 'delivering', delivery = 'delivery-1', user_number = CAST('user-2' AS BLOB) WHERE id = 'card-3'",
            "INSERT INTO delivery_card VALUES ('delivery-1', 1, 'card-3')"
        ),
        Damage(
            .unknownAstray,
            "card-3",
            "UPDATE card SET state = 'held', reason = 'outcome_unknown' WHERE id = 'card-3'"
        ),
        Damage(
            .attemptOpen,
            "delivery-2",
            "UPDATE attempt SET ended_at = NULL, class = NULL, code = NULL WHERE delivery = 'delivery-2'"
        ),
        Damage(.attemptOpen, "card-4", "INSERT INTO attempt (card, ordinal, started_at) VALUES ('card-4', 1, 1)"),
        Damage(
            .attemptOpen,
            "delivery-1",
            "INSERT INTO attempt (delivery, ordinal, started_at) VALUES ('delivery-1', 2, 1)"
        ),
        Damage(.attemptGap, "delivery-1", "UPDATE attempt SET ordinal = 2 WHERE delivery = 'delivery-1'"),
        Damage(.attemptGap, "delivery-1", "UPDATE delivery SET attempts = 7 WHERE id = 'delivery-1'"),
        Damage(.partsMissing, "delivery-1", "UPDATE delivery SET parts = x'' WHERE id = 'delivery-1'"),
        Damage(.brokenReference, nil, "UPDATE card SET delivery = 'nobody' WHERE id = 'card-3'"),
        Damage(.chainBroken, nil, "UPDATE access_log SET actor = 'x' WHERE number = 1"),
        Damage(.chainBroken, nil, "DELETE FROM access_log WHERE number = 1"),
        Damage(.chainBroken, nil, "DELETE FROM access_log WHERE number = (SELECT max(number) FROM access_log)"),
        Damage(.schemaDiffers, "card_order", "DROP INDEX card_order"),
        Damage(.schemaDiffers, "theirs", "CREATE TABLE theirs (x)"),
        Damage(.valueImpossible, "card-4", "UPDATE card SET attempts = -1 WHERE id = 'card-4'"),
        Damage(.valueImpossible, "card-4", "UPDATE card SET state = 'lost' WHERE id = 'card-4'"),
        Damage(.valueImpossible, "card-4", "UPDATE card SET lease_expires_at = 1 WHERE id = 'card-4'"),
        Damage(.valueImpossible, "delivery-1", "UPDATE delivery SET state = 'lost' WHERE id = 'delivery-1'"),
        Damage(.valueImpossible, "delivery-1", "UPDATE attempt SET class = 'odd' WHERE delivery = 'delivery-1'"),
        Damage(.valueImpossible, "card-4", "UPDATE event SET state = 'lost' WHERE card = 'card-4'"),
        Damage(.valueImpossible, "delivery-1", "UPDATE delivery_card SET position = -1 WHERE delivery = 'delivery-1'"),
    ]

    @Test("a damage is found by its code and subject, and cannot be repaired", arguments: irreparable)
    func found(damage: Damage) async throws {
        // What is encrypted cannot be planted by SQL.
        let sandbox = damage.code == .mixedAccounts ? CheckedSandbox(vault: .unencrypted) : self.sandbox
        try await sandbox.fill()
        try sandbox.damage(by: damage.sql)
        let report = try await sandbox.check()
        let findings = report.findings.filter { $0.code == damage.code }
        #expect(report.words.contains(damage.words), "\(report.words)")
        #expect(findings.allSatisfy { $0.severity == .error && !$0.isRepairable })
        #expect(!report.isClean)
    }

    @Test(
        "A card under a number that is refused today is told of, and is read and decided upon as before",
        arguments: ["1.23457E+15", "L-11010519491231002X", "L\u{200B}1"]
    )
    func refusedNumber(text: String) async throws {
        try await self.sandbox.fill()
        try self.sandbox.damage(by: ["UPDATE card SET business_no = '\(text)' WHERE id = 'card-3'"])
        let finding = try #require(await self.sandbox.check(quick: true).findings.first)
        #expect(finding.code == .businessNumberRefused && finding.subject == "card-3")
        #expect(finding.severity == (text.contains("E+") ? .error : .notice))
        let store = try self.sandbox.folder.open()
        let number = try #require(BusinessNumber(stored: text))
        #expect(try await store.cards(matching: CardQuery(businessNumber: number)).map(\.id.rawValue) == ["card-3"])
        #expect(try await store.applicationsWithVerifiedCards().contains(number))
        #expect(try await store.snapshot(of: number).cards.count == 1)
        try await store.close()
    }

    static let reparable: [Damage] = [
        Damage(.partsLeft, "delivery-2", "UPDATE delivery SET parts = x'01' WHERE id = 'delivery-2'"),
        Damage(.partsLeft, "delivery-2", "INSERT INTO data_key VALUES ('delivery-2', 'k', x'00')"),
        Damage(.imageMissing, "card-4", "DELETE FROM image WHERE card = 'card-4'"),
        Damage(.imageMissing, "card-3", "DELETE FROM image WHERE card = 'card-3'"),
        Damage(.imageDamaged, "card-4", "UPDATE image SET jpeg = zeroblob(50000) WHERE card = 'card-4'"),
        Damage(.imageDamaged, "card-3", "UPDATE image SET digest = zeroblob(32) WHERE card = 'card-3'"),
        Damage(.intakeOrderBehind, nil, "UPDATE sandbox SET next_intake_order = 4"),
        Damage(.orphanImage, "card-5x", "UPDATE image SET card = 'card-5x' WHERE card = 'card-2'"),
        Damage(.orphanReading, "card-5x", "UPDATE reading SET card = 'card-5x' WHERE card = 'card-2'"),
        Damage(.orphanSource, "card-5x", "INSERT INTO source_file VALUES (x'00', 1, 1, 1, 1, 'card-5x', x'00', 0)"),
        Damage(.orphanKey, "card-5x", "INSERT INTO data_key VALUES ('card-5x', 'k', x'00')"),
        Damage(
            .erasedRemnant,
            "card-5",
            "UPDATE card SET state = 'erased' WHERE id = 'card-5'",
            "INSERT INTO event (card, at, kind, state) VALUES ('card-5', 1, 'erased', 'erased')"
        ),
        Damage(
            .leaseMisplaced,
            "card-4",
            "UPDATE card SET lease_owner = 'nobody', lease_expires_at = 1 WHERE id = 'card-4'"
        ),
        Damage(
            .leaseMisplaced,
            "delivery-1",
            "UPDATE delivery SET lease_owner = 'nobody', lease_expires_at = 1 WHERE id = 'delivery-1'"
        ),
    ]

    @Test("a back that was sent alone after a card had been erased is named, for a person to look at")
    func backOfErasedFront() async throws {
        try await self.sandbox.fill()
        try self.sandbox.damage(by: [
            "UPDATE card SET side = 'back' WHERE id = 'card-2'",
            "UPDATE event SET id = id + 1000 WHERE card = 'card-2' AND state IN ('delivering', 'delivered')",
            "INSERT INTO event (id, card, at, kind, code) VALUES (900, 'card-2', 1, 'waiting', 'blocked_by_front')",
            "INSERT INTO event (id, card, at, kind, state) VALUES (901, 'card-5', 1, 'erased', 'erased')",
        ])
        let found = try await self.sandbox.check().findings.filter { $0.code == .backAstray }
        #expect(found.map(\.subject) == ["card-2"] && found.allSatisfy { $0.severity == .notice })
        try self.sandbox.damage(by: [
            "INSERT INTO event (id, card, at, kind, state) VALUES (902, 'card-2', 1, 'resolved', 'verified')"
        ])
        #expect(try await !self.sandbox.check().findings.contains { $0.code == .backAstray }, "a person let it go")
    }

    /// What the check says of endpoints after a damage: code and subject.
    private func callFindings() async throws -> [String] {
        try await self.sandbox.check().findings
            .filter { [.deliveryStuck, .refusedInARow, .failedInOutage].contains($0.code) && $0.severity == .notice }
            .map { "\($0.code.rawValue) \($0.subject ?? "-")" }
    }

    @Test("a delivery at which the backend stopped again and again, while others were not tried, is named")
    func stuckDelivery() async throws {
        try await self.sandbox.fill()
        try self.sandbox.damage(
            by: (10...12).map {
                """
                INSERT INTO attempt (delivery, ordinal, started_at, ended_at, class, code)
                VALUES ('delivery-1', \($0), 1, 1, 'stop', 'http_404')
                """
            }
        )
        #expect(try await self.callFindings() == [])
        try self.sandbox.damage(by: [
            """
            INSERT INTO delivery (id, boundary, parts, state, priority, created_at, changed_at)
            VALUES ('delivery-9', 'b', x'00', 'open', 0, 1, 1)
            """
        ])
        #expect(try await self.callFindings() == ["delivery_stuck delivery-1"])
    }

    @Test("a code by which several business numbers were refused, and none taken since, is named")
    func refusedInARow() async throws {
        try await self.sandbox.fill()
        let refuse = { (number: Int) in
            [
                """
                INSERT INTO attempt (delivery, ordinal, started_at, ended_at, class, code)
                VALUES ('delivery-\(number)x', 1, 1900000000000, 1900000000000, 'rejected', '9001')
                """,
                """
                UPDATE card SET state = 'rejected', reason = '9001', delivery = 'delivery-\(number)x'
                WHERE id = 'card-\(number)'
                """,
            ]
        }
        try self.sandbox.damage(by: refuse(1) + refuse(3))
        #expect(try await self.callFindings() == [])
        try self.sandbox.damage(by: refuse(4))
        #expect(try await self.callFindings() == ["refused_in_a_row 9001"])
        try self.sandbox.damage(by: ["UPDATE attempt SET started_at = 1 WHERE delivery = 'delivery-4x'"])
        #expect(try await self.callFindings() == [], "one of them was refused before the last that was taken")
        try self.sandbox.damage(by: [
            "UPDATE attempt SET started_at = 1900000000000 WHERE delivery = 'delivery-4x'",
            "UPDATE attempt SET started_at = 2000000000000 WHERE class = 'accepted'",
        ])
        #expect(try await self.callFindings() == [])
    }

    @Test("a card that failed while the verifier took no other is named")
    func failedInOutage() async throws {
        try await self.sandbox.fill()
        let attempt = { (card: String, time: Int, failureClass: String) in
            """
            INSERT INTO attempt (card, ordinal, started_at, ended_at, class, code)
            VALUES ('\(card)', \(time), \(time), \(time), '\(failureClass)', 'x')
            """
        }
        try self.sandbox.damage(by: [
            "UPDATE card SET state = 'failed', reason = 'attempts_exhausted' WHERE id = 'card-4'",
            attempt("card-4", 900_001, "transient"), attempt("card-4", 900_009, "transient"),
        ])
        #expect(try await self.callFindings() == ["failed_in_outage card-4"])
        try self.sandbox.damage(by: [attempt("card-3", 900_005, "accepted")])
        #expect(try await self.callFindings() == [])
    }

    @Test("what can be repaired is repaired, and a second check finds nothing", arguments: reparable)
    func repaired(damage: Damage) async throws {
        try await self.sandbox.fill()
        try self.sandbox.damage(by: damage.sql)
        let report = try await self.sandbox.check()
        #expect(report.words.joined(separator: ", ") == damage.words)
        try await self.sandbox.repair(report.findings)
        // What the repair itself left in the log is no broken rule.
        let words = try await self.sandbox.check().findings.filter { $0.severity == .error }.map(\.code.rawValue)
        #expect(words.isEmpty, "\(words)")
    }
}
