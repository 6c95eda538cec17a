import CardModel
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CardStore

@Suite struct RestoreTests {
    let scene: RestoreScene
    var harness: StoreHarness { self.scene.harness }

    init() async throws { self.scene = try await RestoreScene() }

    @Test func `what may have gone on since is held, and what is over stays`() async throws {
        let report = try await scene.closeAndRestore()
        #expect(report.cards == 6 && report.replacedCards == 6 && report.accessLinesTakenOver == 0)
        for (name, state) in [
            ("delivered", "delivered"), ("delivering", "held restored"), ("erased", "erased requested"),
            ("rejected", "rejected rejected_by_operator"), ("foreign", "held submitter_conflict"),
            ("prepared", "held restored"),
        ] { #expect(try await scene.state(name) == state, "\(name)") }
        #expect(report.held == 3)
        #expect(try await harness.findings() == [])
        #expect(try await harness.value("SELECT count(*) FROM card WHERE worker IS NOT NULL") == 0)
        #expect(try await harness.store.upkeep.workers() == [])
        #expect(try await harness.accessLog().last?.first == "restore")
    }

    @Test func `who follows the changes hears of what a restore did`() async throws {
        for number in 1...20 { try await harness.admit("later \(number)", number: "L\(number)") }
        let heard = try await harness.store.listings.changes(CardFilter(), since: 0, limit: 100, for: .process).last
        try await scene.closeAndRestore()
        let changes = try await harness.store.listings.changes(CardFilter(), since: heard, limit: 100, for: .process)
        let held = Set(["delivering", "prepared"].map { scene[$0] })
        #expect(held.isSubset(of: changes.cards.map(\.id)) && changes.last > heard)
    }

    @Test func `a delivery that was open is kept, and sent again under its own key`() async throws {
        let key = try await harness.value("SELECT key FROM delivery WHERE state = 'open'", as: String.self)
        try await scene.closeAndRestore()
        let classes = try await harness.store.database.read { tx in
            try tx.rows(
                "SELECT class FROM attempt WHERE stage = 'deliver' AND code IN ('restored', 'interrupted') ORDER BY id"
            ) { try $0.next(String.self) }
        }
        #expect(classes == ["unknown", "unknown"])
        await #expect(throws: CodedError.self) { try await harness.retry(scene["delivering"]) }
        try await harness.resolve(scene["delivering"], .resend)
        harness.worker = try await harness.store.upkeep.startWorker(id: "after", command: "run", now: harness.now)
        #expect(try #require(try await harness.claimDeliveries().first).outbound.idempotencyKey == key)
    }

    @Test func `runs on demand end, and inputs that came later are new`() async throws {
        let run = "('r', 'running', 'local', '', 0)"
        try await harness.plant("INSERT INTO run (id, state, submitter, source, created_at) VALUES \(run)")
        try await scene.backUpAgain()
        let later = try await harness.admit("later", number: "L").card
        let next = try await harness.value("SELECT next_order FROM store", as: Int.self)
        try await scene.closeAndRestore()
        #expect(try await harness.value("SELECT state FROM run") == "ended")
        #expect(try await harness.store.listings.cards([later], for: .process).isEmpty)
        #expect(try await harness.value("SELECT next_order FROM store") == next)
        #expect(try await !harness.admit("later", number: "L").isDuplicate)
    }

    @Test func `what is only fetched to be compared is not there after it, and nobody is asked about it`() async throws
    {
        let card = try await harness.admit(harness.message("m1", from: "local")).card
        try await harness.fetch("old", of: card)
        try await harness.prepare("old")
        let job = try #require(try await harness.claim().first { $0.card.id == card })
        try await harness.conclude(job, CardReading(side: .front), RetakeTests.refusal)
        _ = try await harness.admit(harness.message("m2", from: "local"))
        #expect(try await harness.value("SELECT count(*) FROM card WHERE beside <> ''") == 1)
        try await scene.backUpAgain()
        #expect(try await scene.closeAndRestore().held == 4, "the known card among them")
        #expect(try await harness.value("SELECT count(*) FROM card WHERE beside <> ''") == 0)
        // The known card says that it was not fetched.
        let said = try await harness.store.listings.details(of: card, for: .process).events.compactMap {
            $0.message?.text()
        }
        #expect(said.contains { $0.contains("restored from a backup before the photo was fetched") }, "\(said)")
        // What it says to do works.
        try await harness.resolve(card, .reject)
        _ = try await harness.admit(harness.message("m3", from: "local"))
        #expect(try await harness.value("SELECT count(*) FROM card WHERE beside <> ''") == 1)
        // Later events get numbers that nobody has heard of, though the newest card is gone.
        let last = try await harness.value("SELECT max(id) FROM event", as: Int64.self) ?? 0
        #expect(last > harness.now.millisecondsSinceEpoch)
        #expect(try await harness.findings() == [])
    }

    @Test func `what a person had decided before the backup is not carried out after it`() async throws {
        try await harness.decideOnPage(scene["foreign"], .reject, by: ReviewingTests.li)
        try await scene.backUpAgain()
        try await scene.closeAndRestore()
        harness.pass(.seconds(60))
        #expect(try await harness.carryOut() == [])
        #expect(try await scene.state("foreign") == "held submitter_conflict")
    }

    @Test func `what two persons must decide is what the sandbox or its backup says, and nobody has begun to drop it`()
        async throws
    {
        try await harness.store.decisions.requireSecond(for: [.accept], by: ReviewingTests.li, now: harness.now)
        _ = try await harness.store.decisions.dropFourEyes(.accept, by: ReviewingTests.li, now: harness.now)
        try await scene.backUpAgain()
        _ = try await harness.store.decisions.dropFourEyes(.accept, by: ReviewingTests.wang, now: harness.now)
        try await harness.store.decisions.requireSecond(for: [.erase], by: ReviewingTests.li, now: harness.now)
        try await scene.closeAndRestore()
        let listed = try await harness.store.decisions.fourEyes()
        #expect(listed.map(\.action) == [.accept, .erase] && listed.allSatisfy { $0.droppedBy == nil })
    }

    @Test func `who was erased after the backup stays erased, with the certificate of then`() async throws {
        let certificate = try await harness.erase(scene["delivered"])[0]
        let lines = try await harness.value("SELECT count(*) FROM access_log", as: Int.self)
        let report = try await scene.closeAndRestore()
        #expect(report.erased == 1 && report.accessLinesTakenOver == 1)
        #expect(try await scene.state("delivered") == "erased requested")
        #expect(try await harness.store.upkeep.certificates(of: [scene["delivered"]]) == [certificate])
        #expect(try await harness.value("SELECT was_delivered FROM card WHERE id = \(scene["delivered"])") == 1)
        // The lines of before, one of the erasing once more, one of the restore.
        #expect(try await harness.value("SELECT count(*) FROM access_log") == (lines ?? 0) + 2)
        #expect(try await harness.findings() == [])
    }

    @Test func `where the sandbox is lost, the list alone keeps erased people erased`() async throws {
        try await harness.erase(scene["prepared"])
        try await scene.close()
        let list = "\(harness.folder)/erasures.jsonl"
        let kept = "\(harness.folder)/kept.jsonl"
        try FileManager.default.moveItem(atPath: list, toPath: kept)
        try FileManager.default.removeItem(atPath: "\(harness.folder)/sandbox.sqlite3")
        // The fault that the list is there against.
        #expect(try await scene.restore().erasuresUnknown)
        try await scene.reopen()
        #expect(try await scene.state("prepared") == "held restored")
        try harness.store.close()
        try FileManager.default.removeItem(atPath: "\(harness.folder)/sandbox.sqlite3")
        let report = try await scene.restore(erasures: [kept])
        #expect(report.erased == 1 && !report.erasuresUnknown)
        try await scene.reopen()
        #expect(try await scene.state("prepared") == "erased requested")
        #expect(try harness.listed().contains(scene["prepared"]))
    }

    @Test func `an erased card that the backup does not know is taken over, and its file stays known`() async throws {
        let file = try harness.file("late")
        let late = try await harness.admit("late", number: "L", file: file).card
        let sent = try await harness.sent("sent", number: "S", .accepted)
        try await harness.erase(late, sent)
        #expect(try await scene.closeAndRestore().tombstonesTakenOver == 2)
        #expect(try await harness.known([file], number: "L")[0]?.state == .erased)
        #expect(try await harness.findings() == [])
        // Its front was delivered, so a back may go.
        harness.worker = try await harness.store.upkeep.startWorker(id: "after", command: "run", now: harness.now)
        let back = try await harness.verified("back", number: "S", .back)
        #expect(try await harness.proposals() == [[back]])
    }

    @Test func `a number that was spelled in another way since is one, with its tombstones`() async throws {
        let (spelled, late) = (["Cr\u{E9}dit-7", "Cre\u{301}dit-7"], scene.backup + ".late")
        let front = try await harness.admit("front", number: spelled[0]).card
        try await harness.backUp(to: late)
        try await scene.closeAndRestore()
        harness.worker = try await harness.store.upkeep.startWorker(id: "between", command: "run", now: harness.now)
        let file = try harness.file("back")
        let back = try await harness.admit("back", number: spelled[1], file: file).card
        try await harness.erase(back)
        try FileManager.default.removeItem(atPath: scene.backup)
        try FileManager.default.moveItem(atPath: late, toPath: scene.backup)
        #expect(try await scene.closeAndRestore().tombstonesTakenOver == 1)
        #expect(try await harness.state(front) == "held restored")
        for number in spelled { #expect(try await harness.known([file], number: number)[0]?.card == back) }
        #expect(try await harness.value("SELECT count(*) FROM cases WHERE key LIKE 'cr%dit-7'", as: Int.self) == 1)
        #expect(try await harness.findings() == [])
    }

    @Test func `whom an erased front named is still known, so another person's front is held`() async throws {
        let back = try await harness.verified("back", number: "H", .back)
        try await scene.backUpAgain()
        try await harness.erase(try await harness.verified("front", number: "H", .front))
        try await scene.closeAndRestore()
        harness.worker = try await harness.store.upkeep.startWorker(id: "after", command: "run", now: harness.now)
        let other = try await harness.verified("other", number: "H", .front, holder: "440524188001010014")
        #expect(try await harness.begin().isEmpty)
        #expect(try await harness.state(other) == "held holder_conflict")
        #expect(try await harness.state(back) == "held restored")
    }

    @Test func `a case that a reviewer ended since stays ended`() async throws {
        let back = try await harness.verified("back", number: "H", .back)
        try await scene.backUpAgain()
        let front = try await harness.judged(
            "front",
            number: "H",
            .held(VerdictRule.legalityLow.reason, message: "look")
        )
        try await harness.resolve(front, .reject)
        try await harness.erase(front)
        try await scene.closeAndRestore()
        let late = try await harness.admit("late", number: "H").card
        #expect(try await harness.state(late) == "held case_rejected")
        await #expect(throws: CodedError.self) { try await harness.resolve(back, .anew) }
    }

    @Test func `a backup of before a change of the key opens with the retired key, and leaves it`() async throws {
        try await harness.store.upkeep.stop(harness.worker, now: harness.now)
        let new = VaultKey.random()
        _ = try await harness.store.upkeep.rotateKeys(to: new, by: AccessOrigin(actor: "test")) {}
        try harness.store.close()
        let error = await #expect(throws: CodedError.self) { try await scene.restore(ring: KeyRing(new)) }
        #expect(error?.code == .wrongKey)
        #expect(error?.message.text().contains(harness.key.id) == true)
        let both = try #require(KeyRing([new, harness.key]))
        // The line of the change of the key.
        #expect(try await scene.restore(ring: both).accessLinesTakenOver == 1)
        harness.store = try await harness.another(KeyRing(new))
        #expect(try await harness.findings() == [])
    }

    @Test func `without the key of the replaced sandbox it says what it cannot know`() async throws {
        let other = try await StoreHarness()
        let theirs = try await other.admit("theirs", number: "T").card
        try await other.erase(theirs)
        try await other.store.upkeep.stop(other.worker, now: other.now)
        try other.store.close()
        let report = try await scene.restore(into: other.folder)
        #expect(report.replacedKeyMissing && report.accessLinesTakenOver == nil && report.tombstonesTakenOver == 0)
        other.store = try await other.another(KeyRing(harness.key))
        #expect(try await other.findings() == [])
    }

    @Test func `what is no backup, a sandbox in use and one with cards are refused untouched`() async throws {
        #expect(await code { try await scene.restore() }?.rawValue == "sandbox_busy")
        try await scene.close()
        #expect(await code { try await scene.restore(replacing: false) }?.rawValue == "sandbox_not_empty")
        #expect(await code { try await scene.restore(kind: .embedded) }?.rawValue == "wrong_sandbox")
        let whole = try Data(contentsOf: URL(filePath: scene.backup))
        for (bytes, expected) in [(Data("nonsense".utf8), "not_a_backup"), (whole.prefix(60_000), "sandbox_damaged")] {
            try bytes.write(to: URL(filePath: scene.backup))
            let error = await #expect(throws: CodedError.self) { try await scene.restore() }
            #expect(error?.code.rawValue == expected)
            #expect(error?.message.text().contains("backup") == true)
        }
        try FileManager.default.removeItem(atPath: scene.backup)
        #expect(await code { try await scene.restore() }?.rawValue == "not_found")
        try await scene.reopen()
        #expect(try await scene.state("prepared") == "prepared")
        let reader = try await harness.another()
        try whole.write(to: URL(filePath: scene.backup))
        #expect(await code { try await scene.restore() }?.rawValue == "sandbox_busy")
        try reader.close()
    }

    /// A process that makes a sandbox opens the file, and then makes its tables.
    @Test(arguments: [false, true])
    func `a sandbox whose making was cut off is replaced, and says nothing of who was erased`(
        wasOpened: Bool
    ) async throws {
        try await scene.close()
        let folder = "\(harness.folder)-cut off"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try SandboxFolder(path: folder).create()
        let path = SandboxFolder(path: folder).database
        try Database.withFile(path, Schema.layOut)
        if wasOpened {
            let open = try Database(path: path)
            for suffix in Database.suffixes where access(path + suffix, F_OK) == 0 {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: "\(path).copy\(suffix)")
            }
            try open.close()
            for suffix in Database.suffixes { rename("\(path).copy\(suffix)", path + suffix) }
            #expect(access(path + "-wal", F_OK) == 0)
        }
        let report = try await scene.restore(into: folder, replacing: false)
        #expect(report.cards == 6 && report.replacedCards == 0 && report.erasuresUnknown)
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder)).isSubset(of: Self.files))
        let ring = KeyRing(harness.key)
        let store = try await Sandbox.open(path: folder, kind: .real, ring: ring, creating: false, now: harness.now)
        #expect(try await store.upkeep.check().isEmpty)
        try store.close()
    }

    private static let files: Set = ["sandbox.sqlite3", "workers", "opening.lock", "erasures.jsonl", "reserve"]

    @Test func `a database that is none is replaced only where that is asked for`() async throws {
        try await scene.close()
        let path = "\(harness.folder)/sandbox.sqlite3"
        try Data(repeating: 7, count: 50_000).write(to: URL(filePath: path))
        #expect(await code { try await scene.restore(replacing: false) }?.rawValue == "sandbox_not_empty")
        #expect(try await scene.restore().replacedUnreadable)
        try await scene.reopen()
        #expect(try await harness.findings() == [])
    }
}
