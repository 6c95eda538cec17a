import Foundation
import GRDB
import Glibc
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// A restored sandbox is the backup, minus whom it must not bring back and what nobody knows any more.
struct RestoreTests {
    let restoring = RestoringSandbox()
    private var sandbox: CheckedSandbox { self.restoring.sandbox }

    @Test("a backup restored into a new folder is the sandbox, whole and closed to others")
    func roundTrip() async throws {
        try await self.restoring.fillAndBackUp()
        let other = SandboxFolder()
        let report = try await self.restoring.restore(into: other.path)
        #expect(report.cardCount == 5)
        #expect(report.imageCount == 4)
        #expect(report.deliveryCount == 2)
        #expect(report.lastChange == .second(5))
        #expect(try other.mode() == 0o700)
        #expect(try other.mode(of: "sandbox.sqlite3") == 0o600)
        let store = try other.open()
        #expect(try await store.check().words.joined() == "")
        let image = try await store.preparedImage(of: CardID(rawValue: "card-4"))
        #expect(image.jpeg == Data(repeating: 4, count: 40_000))
        #expect(try await store.reserveIntakeOrders(1) == 10)
        let lines = try await store.accessLog(of: nil, after: 0, limit: 99)
        #expect(lines.last?.action == .restore)
        #expect(lines.last?.origin == RestoringSandbox.origin)
        try await store.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: other.path).contains { $0.contains("restore") } == false
        )
    }

    @Test("cards without an end are held for a person, what was sent stays sendable, ends stay")
    func held() async throws {
        try await self.restoring.fillAndBackUp()
        let report = try await self.restoring.restore(replacing: true)
        #expect(report.heldCount == 3)
        let store = try self.sandbox.folder.open()
        for (card, state) in [
            ("card-1", CardState.held), ("card-2", .delivered), ("card-3", .held), ("card-4", .held),
            ("card-5", .rejected),
        ] {
            let found = try await store.card(CardID(rawValue: card))
            #expect(found?.state == state, "\(card)")
            if state == .held { #expect(found?.reason == .restored) }
        }
        #expect(try await store.claimPrepared(limit: 9, until: .second(99), now: .second(60)).isEmpty)
        #expect(try await store.claimDeliveries(limit: 9, until: .second(99), now: .second(60)).isEmpty)
        #expect(try await store.applicationsWithVerifiedCards().isEmpty)
        // Nobody knows whether the delivery arrived: under its own key alone may it be sent again.
        let kept = try await store.read { db in
            try String.fetchOne(db, sql: "SELECT state FROM delivery WHERE id = 'delivery-1' AND length(parts) > 0")
        }
        #expect(kept == "held")
        let isUnknown = try await store.read { db in
            try Bool.fetchOne(db, sql: DeliverySQL.mayHaveBeenReceived, arguments: ["delivery-1"])
        }
        #expect(isUnknown == true)
        #expect(try await store.check().words.joined() == "")
        try await store.close()
    }

    @Test("a card that could have been corrected and delivered since the backup waits for a person, too")
    func mayHaveGoneOn() async throws {
        try await self.sandbox.fill()
        try self.sandbox.damage(by: [
            "UPDATE card SET state = 'rejected', reason = 'name_mismatch' WHERE id = 'card-3'",
            "UPDATE card SET state = 'failed', reason = 'retries_exhausted' WHERE id = 'card-4'",
            "UPDATE card SET state = 'held', reason = 'retries_exhausted' WHERE id = 'card-1'",
            "UPDATE attempt SET ended_at = 1, class = 'not_sent', code = 'x' WHERE delivery = 'delivery-1'",
            "UPDATE delivery SET state = 'held', lease_owner = NULL, lease_expires_at = NULL WHERE id = 'delivery-1'",
        ])
        try await self.restoring.backUp()
        #expect(try await self.restoring.restore(replacing: true).heldCount == 3)
        let store = try self.sandbox.folder.open()
        for card in ["card-1", "card-3", "card-4"] {
            let found = try await store.card(CardID(rawValue: card))
            #expect(found?.state == .held, "\(card)")
            #expect(found?.reason == .restored, "\(card)")
        }
        // What has no image could not go on.
        #expect(try await store.card(CardID(rawValue: "card-5"))?.state == .rejected)
        // Retried, it would be sent under a new key.
        let error = await #expect(throws: StoreError.self) {
            try await store.retry(CardID(rawValue: "card-1"), by: RestoringSandbox.origin, now: .second(60))
        }
        #expect(error?.code == .conflict)
        try await store.close()
    }

    @Test("with resuming, cards go on where the backup has them")
    func resumed() async throws {
        try await self.restoring.fillAndBackUp()
        let report = try await self.restoring.restore(replacing: true, resuming: true)
        #expect(report.heldCount == 0)
        let store = try self.sandbox.folder.open()
        #expect(try await store.stateCounts()[.held] == nil)
        #expect(try await store.claimDeliveries(limit: 9, until: .second(99), now: .second(60)).count == 1)
        #expect(try await store.check().words.joined() == "")
        try await store.close()
    }

    @Test("a sandbox that holds cards is replaced only if asked")
    func notReplaced() async throws {
        try await self.restoring.fillAndBackUp()
        let before = try Data(contentsOf: URL(fileURLWithPath: self.sandbox.folder.database))
        await self.expectRefusal(.conflict) { try await self.restoring.restore() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: self.sandbox.folder.database)) == before)
    }

    @Test("while a process has the sandbox open nothing is restored")
    func inUse() async throws {
        try await self.restoring.fillAndBackUp()
        let store = try self.sandbox.folder.open()
        await self.expectRefusal(.unavailable) { try await self.restoring.restore(replacing: true) }
        try await store.close()
        let reader = try self.sandbox.folder.open(readOnly: true)
        _ = try await reader.stateCounts()
        await self.expectRefusal(.unavailable) { try await self.restoring.restore(replacing: true) }
        try await reader.close()
        _ = try await self.restoring.restore(replacing: true)
    }

    @Test("a dead process keeps nobody from restoring")
    func deadOwner() async throws {
        try await self.restoring.fillAndBackUp()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = self.sandbox.folder.path as String] in
            let store = try SandboxStore.open(
                directory: path,
                options: SandboxOptions(endpoints: .embedded, vault: .sample)
            )
            _ = try await store.claimPrepared(limit: 1, until: .second(99), now: .second(5))
            kill(getpid(), SIGKILL)
        }
        _ = try await self.restoring.restore(replacing: true)
        #expect(try self.sandbox.folder.owners().isEmpty)
        #expect(try await self.sandbox.check().words.joined() == "")
    }

    @Test("what is no backup is refused, and the sandbox stays", arguments: RestoringSandbox.Ruin.allCases)
    func ruined(ruin: RestoringSandbox.Ruin) async throws {
        try await self.restoring.fillAndBackUp()
        try self.restoring.ruin(as: ruin)
        await self.expectRefusal(ruin.code) { try await self.restoring.restore(replacing: true) }
        let report = try await self.sandbox.check()
        #expect(report.words.joined() == "")
        #expect(report.cardCount == 5)
    }

    @Test("a backup of the other kind of endpoints is refused")
    func otherEndpoints() async throws {
        try await self.restoring.fillAndBackUp()
        await self.expectRefusal(.wrongSandbox) {
            try await self.restoring.restore(into: self.restoring.target.path + "/new", endpoints: .external)
        }
    }

    private func expectRefusal(_ code: StoreError.Code, _ body: () async throws -> RestoreReport) async {
        let error = await #expect(throws: StoreError.self) { try await body() }
        #expect(error?.code == code, "\(error?.message ?? "no error")")
    }
}
