import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// A backup brings nobody back who was erased after it was made.
struct RestoredErasureTests {
    let restoring = RestoringSandbox()
    private var sandbox: CheckedSandbox { self.restoring.sandbox }

    private func erase(_ card: String) async throws {
        let store = try self.sandbox.folder.open()
        _ = try await store.erase(
            [CardID(rawValue: card)],
            reason: ReasonCode(rawValue: "asked_for"),
            by: AccessOrigin(actor: "root:cards erase"),
            now: .second(30)
        )
        try await store.close()
    }

    /// What is left of a card.
    private func expectErased(_ card: String, in store: SandboxStore) async throws {
        #expect(try await store.card(CardID(rawValue: card))?.state == .erased)
        let rows = try await store.read { db in
            try ["image", "reading"].map { table in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table) WHERE card = ?", arguments: [card])
            }
        }
        #expect(rows == [0, 0])
        #expect(try await store.finishErasures() == 0)
        #expect(try await store.check().words.joined() == "")
    }

    @Test(
        "by the sandbox that is replaced, also while the card was in delivery",
        arguments: ["card-2", "card-3", "card-1"]
    )
    func bySandbox(card: String) async throws {
        try await self.restoring.fillAndBackUp()
        try await self.erase(card)
        let report = try await self.restoring.restore(replacing: true)
        #expect(report.erasedCount == 1)
        #expect(report.accessLineCount > 0)
        let store = try self.sandbox.folder.open()
        try await self.expectErased(card, in: store)
        #expect(try await store.card(CardID(rawValue: card))?.changedAt == .second(30))
        try await store.close()
    }

    @Test("its backs stay held, also those that come later, whether or not the backup knows the front")
    func backs() async throws {
        try await self.restoring.fillAndBackUp()
        let store = try self.sandbox.folder.open()
        var front = try CheckedSandbox.admission(6)
        front.intakeOrder = try await store.reserveIntakeOrders(1)
        front.content = .refused(.legalityLow, message: "sample")
        _ = try await store.admit(front, now: .second(20))
        try await store.close()
        try await self.erase("card-6")
        try await self.erase("card-5")
        _ = try await self.restoring.restore(replacing: true)
        let restored = try self.sandbox.folder.open()
        for number in [5, 6] {
            let number = try CheckedSandbox.admission(number).metadata.businessNumber
            #expect(try await restored.read { try restored.hasErasedFront(number, in: $0) }, "\(number)")
        }
        let other = try CheckedSandbox.admission(4).metadata.businessNumber
        #expect(try await restored.read { try !restored.hasErasedFront(other, in: $0) })
        try await restored.close()
    }

    @Test("by the list in the folder and by lists that are named")
    func byLists() async throws {
        try await self.restoring.fillAndBackUp()
        let own = self.sandbox.folder.path + "/erasures.jsonl"
        let named = self.restoring.target.path + "/others.jsonl"
        try Data(#"{"card_id":"card-3","erased_at":"2026-05-12T10:00:00.000Z","reason":"asked_for"}"#.utf8)
            .write(to: URL(fileURLWithPath: own))
        try Data(
            "{\"card_id\":\"card-2\",\"erased_at\":1760000030000}\n{\"card_id\":\"stranger\",\"erased_at\":1}\n".utf8
        )
        .write(to: URL(fileURLWithPath: named))
        let report = try await self.restoring.restore(replacing: true, erasures: [named])
        #expect(report.erasedCount == 2)
        let store = try self.sandbox.folder.open()
        for card in ["card-2", "card-3"] {
            #expect(try await store.card(CardID(rawValue: card))?.state == .erased, "\(card)")
        }
        #expect(try await store.card(CardID(rawValue: "stranger")) == nil)
        try await store.close()
    }

    @Test("a list that is none is refused; a line that a crash cut off is not, and counts if it names the card")
    func brokenList() async throws {
        try await self.restoring.fillAndBackUp()
        let list = self.restoring.target.path + "/list.jsonl"
        try Data("{\"card_id\":7}\n{\"card_id\":\"card-2\",\"erased_at\":1}\n".utf8).write(
            to: URL(fileURLWithPath: list)
        )
        let error = await #expect(throws: StoreError.self) {
            try await self.restoring.restore(replacing: true, erasures: [list])
        }
        #expect(error?.code == .corrupt)
        let cutOff =
            "{\"card_id\":\n{\"card_id\":\"card-2\",\"erased_at\":1}\n{\"actor\":\"x\",\"card_id\":\"card-3\",\"er"
        try Data(cutOff.utf8).write(to: URL(fileURLWithPath: list))
        #expect(try await self.restoring.restore(replacing: true, erasures: [list]).erasedCount == 2)
    }

    @Test("tombstones that the backup does not know are taken over, with their files and the access log")
    func takenOver() async throws {
        try await self.restoring.fillAndBackUp()
        let file = FileIdentity(path: "/inbox/6.jpg", device: 1, inode: 6, size: 6, modifiedNanoseconds: 6)
        let later = try self.sandbox.folder.open()
        var admission = try CheckedSandbox.admission(6)
        admission.file = file
        admission.intakeOrder = try await later.reserveIntakeOrders(1)
        _ = try await later.admit(admission, now: .second(20))
        try await later.record(.show, of: admission.id, by: RestoringSandbox.origin, now: .second(21))
        try await later.close()
        try await self.erase("card-6")
        let report = try await self.restoring.restore(replacing: true)
        #expect(report.takenOverCount == 1)
        #expect(report.accessLineCount == 2)
        let store = try self.sandbox.folder.open()
        let businessNumber = admission.metadata.businessNumber
        #expect(try await store.card(ofFile: file, businessNumber: businessNumber)?.state == .erased)
        #expect(try await store.reserveIntakeOrders(1) == 11)
        let actions = try await store.accessLog(of: nil, after: 0, limit: 99).map(\.action)
        #expect(actions.suffix(3) == [.show, .erase, .restore])
        #expect(try await store.check().words.joined() == "")
        try await store.close()
    }

    @Test("a tombstone whose log does not go together with that of the backup is told of in the new log")
    func diverged() async throws {
        try await self.restoring.fillAndBackUp()
        let other = SandboxFolder()
        _ = try await self.restoring.restore(into: other.path)
        // Both go on by themselves from here: their logs have the same numbers, and other lines.
        let here = try self.sandbox.folder.open()
        try await here.record(.show, of: CardID(rawValue: "card-2"), by: RestoringSandbox.origin, now: .second(20))
        try await here.close()
        try await self.restoring.backUp()
        let there = try other.open()
        var admission = try CheckedSandbox.admission(6)
        admission.intakeOrder = try await there.reserveIntakeOrders(1)
        _ = try await there.admit(admission, now: .second(20))
        let erased = try await there.erase(
            [admission.id],
            reason: .requested,
            by: AccessOrigin(actor: "root:cards erase", purpose: "ticket 7"),
            now: .second(30)
        )
        try await there.close()
        let report = try await self.restoring.restore(into: other.path, replacing: true)
        #expect(report.takenOverCount == 1)
        #expect(report.hasLeftAccessLog)
        let store = try other.open()
        #expect(try await store.finishErasures() == 0)
        #expect(try await store.check().words == [])
        // Who erased it, when and why stays; the line is another.
        var expected = try #require(erased.first)
        let found = try #require(try await store.erasureCertificates().first)
        #expect(found.accessNumber != expected.accessNumber || found.accessCode != expected.accessCode)
        (expected.accessNumber, expected.accessCode) = (found.accessNumber, found.accessCode)
        #expect(found == expected)
        let lines = try await store.accessLog(of: admission.id, after: 0, limit: 9)
        #expect(lines.map(\.action) == [.erase])
        #expect(lines.first?.number == found.accessNumber)
        try await store.close()
    }

    @Test("certificates stay true through a restore after a restore")
    func twice() async throws {
        try await self.restoring.fillAndBackUp()
        try await self.erase("card-2")
        for _ in 0..<2 {
            _ = try await self.restoring.restore(replacing: true)
            let store = try self.sandbox.folder.open()
            try await self.expectErased("card-2", in: store)
            try await store.close()
        }
    }

    @Test("with the retired key alone nothing is replaced unasked, and what is not known any more is told")
    func retiredKey() async throws {
        try await self.restoring.fillAndBackUp()
        let retired = VaultAccess.encrypted(KeyRing(.sample(1)))
        let ring = try #require(KeyRing([.sample(2), .sample(1)]))
        let store = try self.sandbox.folder.open(vault: .encrypted(ring))
        #expect(try await store.adoptFirstKey())
        try await store.close()
        let error = await #expect(throws: StoreError.self) { try await self.restoring.restore(vault: retired) }
        #expect(error?.code == .wrongKey)
        let report = try await self.restoring.restore(replacing: true, vault: retired)
        #expect(report.lacksKeyOfReplaced)
        #expect(report.hasLeftAccessLog)
        let other = await #expect(throws: StoreError.self) {
            try await self.restoring.restore(replacing: true, vault: .encrypted(KeyRing(.sample(3))))
        }
        #expect(other?.message.contains("the backup") == true)
    }

    @Test("in a new folder without a list of erasures nobody knows who was erased, and that is told")
    func noList() async throws {
        try await self.restoring.fillAndBackUp()
        let list = self.restoring.target.path + "/list.jsonl"
        try Data("{\"card_id\":\"card-2\",\"erased_at\":1}\n".utf8).write(to: URL(fileURLWithPath: list))
        let folders = [SandboxFolder(), SandboxFolder()]
        #expect(try await self.restoring.restore(into: folders[0].path).knowsNoErasures)
        #expect(try await !self.restoring.restore(into: folders[1].path, erasures: [list]).knowsNoErasures)
        #expect(try await !self.restoring.restore(replacing: true).knowsNoErasures)
    }
}
