import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardSandbox

/// The rules of cards without an image find what breaks them, and a repair makes no card of what is no card.
struct SourceCheckTests {
    typealias Damage = DamageCheckTests.Damage

    let sandbox = CheckedSandbox()

    /// Adds cards without an image to the usual ones.
    private func fill(_ sandbox: CheckedSandbox) async throws {
        try await sandbox.fill()
        let store = try sandbox.folder.open()
        try await store.receive(.noise(1, (1 << 20) + 5000), as: "received", receipt: .sample())
        try await store.beginFetching(.noise(2, 5000), as: "fetching")
        try await store.receive(.noise(3, 100), as: "failed")
        _ = try await store.claimReceived(limit: 9, until: .second(99), now: .second(3))
        let failed = PreparationConclusion.failed(.decoderCrashed, message: "x")
        _ = try await store.concludePreparing(CardID(rawValue: "failed"), as: failed, now: .second(4))
        try await store.keep(SourceRun(id: "run-1", source: "inbox", startedAt: .second(1)))
        try await store.releaseLeases()
        try await store.close()
    }

    @Test("a sandbox with cards without an image is whole", arguments: [false, true])
    func whole(quick: Bool) async throws {
        try await self.fill(self.sandbox)
        #expect(try await self.sandbox.check(quick: quick).words == [])
    }

    static let irreparable: [Damage] = [
        Damage(.imageMissing, "failed", "DELETE FROM source_piece WHERE card = 'failed'"),
        Damage(.valueUnreadable, "fetching", "UPDATE fetch SET url = x'00'"),
        Damage(.valueUnreadable, "fetching", "UPDATE fetch SET validator = x'00'"),
        Damage(.valueImpossible, "received", "UPDATE receipt SET request_fingerprint = x'00'"),
        Damage(.valueImpossible, "failed", "UPDATE source_piece SET byte_count = 0 WHERE card = 'failed'"),
        Damage(.valueImpossible, "fetching", "UPDATE fetch SET byte_count = -1"),
        Damage(
            .valueImpossible,
            "fetching",
            "INSERT INTO fetch_attempt VALUES ('fetching', 1, 1, 1, 'odd', 'x', NULL)"
        ),
        Damage(.valueImpossible, "run-1", "UPDATE source_run SET state = 'odd'"),
        Damage(.valueImpossible, "run-1", "UPDATE source_run SET ended_at = 1"),
        Damage(.sourceDamaged, "fetching", "UPDATE source_piece SET bytes = zeroblob(6000) WHERE card = 'fetching'"),
        Damage(.keyMissing, "fetching", "DELETE FROM data_key WHERE owner = 'fetching'"),
    ]

    @Test("a damage is found by its code and subject, and cannot be repaired", arguments: irreparable)
    func found(damage: Damage) async throws {
        try await self.fill(self.sandbox)
        try self.sandbox.damage(by: damage.sql)
        let report = try await self.sandbox.check()
        let findings = report.findings.filter { $0.code == damage.code }
        #expect(report.words.contains(damage.words), "\(report.words)")
        #expect(findings.allSatisfy { $0.severity == .error && !$0.isRepairable })
    }

    static let reparable: [Damage] = [
        Damage(.sourceMissing, "received", "DELETE FROM source_piece WHERE card = 'received' AND start = 0"),
        Damage(.sourceMissing, "received", "DELETE FROM source_piece WHERE card = 'received'"),
        Damage(.sourceDamaged, "received", "DELETE FROM source_piece WHERE card = 'received' AND start > 0"),
        Damage(
            .sourceDamaged,
            "received",
            "UPDATE source_piece SET bytes = zeroblob(6000) WHERE card = 'received' AND start > 0"
        ),
        Damage(.sourceMissing, "fetching", "DELETE FROM fetch"),
        Damage(.sourceLeft, "card-2", "INSERT INTO source_piece VALUES ('card-2', 0, 1, x'00')"),
        Damage(.sourceLeft, "card-5", "INSERT INTO fetch VALUES ('card-5', x'00', NULL, NULL)"),
        Damage(.orphanPiece, "card-5x", "INSERT INTO source_piece VALUES ('card-5x', 0, 1, x'00')"),
        Damage(.orphanFetch, "card-5x", "INSERT INTO fetch VALUES ('card-5x', x'00', NULL, NULL)"),
        Damage(
            .orphanReceipt,
            "card-5x",
            "INSERT INTO receipt VALUES (randomblob(32), randomblob(32), 'card-5x', 1)"
        ),
        Damage(
            .erasedRemnant,
            "card-5",
            """
            UPDATE card SET state = 'erased', business_no = '\(BusinessNumber.erased.rawValue)', content_fingerprint = x'',
                message = NULL, user_number = NULL
            WHERE id = 'card-5'
            """,
            "INSERT INTO event (card, at, kind, state) VALUES ('card-5', 1, 'erased', 'erased')",
            "DELETE FROM data_key WHERE owner = 'card-5'",
            "INSERT INTO source_piece VALUES ('card-5', 0, 1, x'00')",
            "INSERT INTO fetch VALUES ('card-5', x'00', NULL, NULL)"
        ),
    ]

    @Test("what can be repaired is repaired, and a second check finds nothing", arguments: reparable)
    func repaired(damage: Damage) async throws {
        try await self.fill(self.sandbox)
        try self.sandbox.damage(by: damage.sql)
        let report = try await self.sandbox.check()
        #expect(report.words.contains(damage.words), "\(report.words)")
        try await self.sandbox.repair(report.findings)
        let words = try await self.sandbox.check().findings.filter { $0.severity == .error }.map(\.code.rawValue)
        #expect(words.isEmpty, "\(words)")
    }

    @Test("a card that is put aside is failed, says why, and does not come back by itself")
    func putAside() async throws {
        try await self.fill(self.sandbox)
        try self.sandbox.damage(by: [
            "DELETE FROM source_piece WHERE card = 'received' AND start = 0", "DELETE FROM fetch",
        ])
        try await self.sandbox.repair(try await self.sandbox.check().findings)
        let store = try self.sandbox.folder.open()
        for name in ["received", "fetching"] {
            let card = try await store.card(CardID(rawValue: name))
            #expect(card?.state == .failed)
            #expect(card?.reason == .imageUnreadable)
        }
        #expect(try await store.claimReceived(limit: 9, until: .second(99), now: .second(60)) == [])
        #expect(try await store.claimFetching(limit: 9, until: .second(99), now: .second(60)) == [])
    }

    @Test("a card that is being fetched or prepared is not put aside by a repair")
    func leased() async throws {
        try await self.fill(self.sandbox)
        try self.sandbox.damage(by: ["DELETE FROM source_piece WHERE card = 'received'"])
        let findings = try await self.sandbox.check().findings
        let working = try self.sandbox.folder.open()
        _ = try await working.claimReceived(limit: 9, until: .second(99), now: .second(40))
        try await self.sandbox.repair(findings)
        #expect(try await working.card(CardID(rawValue: "received"))?.state == .received)
        let error = await #expect(throws: StoreError.self) {
            _ = try await working.source(of: CardID(rawValue: "received"), at: 0)
        }
        #expect(error?.concernsOneCard == true)
    }
}
