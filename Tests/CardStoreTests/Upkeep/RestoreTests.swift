import CardModel
import Foundation
import Glibc
import Testing

@testable import CardStore

@Suite struct RestoreTests {
    /// A sandbox with a card in each state that matters, a backup of it, and what came after.
    private struct Scene {
        let harness: StoreHarness
        var cards: [String: CardID] = [:]
        var backup: String { "\(self.harness.folder)/backup" }

        init() async throws {
            self.harness = try await StoreHarness()
            let (delivered, job) = try await self.harness.delivering("a", number: "A")
            try await self.harness.conclude(job, .accepted)
            self.cards["delivered"] = delivered
            self.cards["delivering"] = try await self.harness.delivering("b", number: "B").0
            self.cards["erased"] = try await self.harness.admit("c", number: "C").card
            try await self.harness.erase(self["erased"])
            let (rejected, refused) = try await self.harness.delivering("d", number: "D")
            try await self.harness.conclude(refused, .failure(.unknown), onUnknown: .hold)
            try await self.harness.resolve(rejected, .reject)
            self.cards["rejected"] = rejected
            let foreign = try await self.harness.admit("e", number: "A", submitter: "other").card
            self.cards["foreign"] = foreign
            self.cards["prepared"] = try await self.harness.admit("f", number: "F").card
            self.cards["claimed"] = try #require(try await self.harness.claim(1).first).card.id
            try await self.harness.store.backUp(to: self.backup)
        }

        subscript(_ name: String) -> CardID { self.cards[name] ?? CardID(rawValue: "no \(name)") }

        /// Ends all work, as whoever restores must.
        func close() async throws {
            try await self.harness.store.end(self.harness.worker, now: self.harness.now)
            try self.harness.store.close()
        }

        func restore(
            into folder: String? = nil,
            ring: KeyRing? = nil,
            replacing: Bool = true,
            kind: CardStore.Kind? = nil,
            erasures: [String] = []
        ) async throws -> RestoreReport {
            try await Restore(
                of: self.backup,
                into: folder ?? self.harness.folder,
                kind: kind,
                ring: ring ?? KeyRing(self.harness.key),
                replacing: replacing,
                erasures: erasures,
                by: AccessOrigin(actor: "root:restore"),
                now: self.harness.now
            ).run()
        }

        func reopen() async throws { self.harness.store = try await self.harness.another() }

        func state(_ name: String) async throws -> String { try await self.harness.state(self[name]) }
    }

    // MARK: What it holds

    @Test func `what may have gone on since is held, and what is over stays`() async throws {
        let scene = try await Scene()
        try await scene.close()
        let report = try await scene.restore()
        try await scene.reopen()
        let harness = scene.harness
        #expect(report.cards == 6)
        #expect(report.replacedCards == 6)
        #expect(report.logLines == 0)
        for (name, state) in [
            ("delivered", "delivered"), ("delivering", "held restored"), ("erased", "erased requested"),
            ("rejected", "rejected rejected_by_operator"), ("foreign", "held submitter_conflict"),
            ("prepared", "held restored"),
        ] {
            #expect(try await scene.state(name) == state, "\(name)")
        }
        #expect(report.held == 3)
        #expect(try await harness.findings() == [])
        let claims = try await harness.value("SELECT count(*) FROM card WHERE worker IS NOT NULL", as: Int.self)
        #expect(claims == 0)
        #expect(try await harness.store.workers() == [])
        let log = try await harness.value("SELECT action FROM access_log ORDER BY number DESC LIMIT 1", as: String.self)
        #expect(log == "restore")
    }

    @Test func `a delivery that was open is kept, and sent again under its own key`() async throws {
        let scene = try await Scene()
        let key = try await scene.harness.value("SELECT key FROM delivery WHERE state = 'open'", as: String.self)
        try await scene.close()
        _ = try await scene.restore()
        try await scene.reopen()
        let harness = scene.harness
        let classes = try await harness.store.database.read { tx in
            try tx.rows(
                "SELECT class FROM attempt WHERE stage = 'deliver' AND code IN ('restored', 'interrupted') ORDER BY id"
            ) {
                try $0.next(String.self)
            }
        }
        #expect(classes == ["unknown", "unknown"])
        await #expect(throws: CodedError.self) { try await harness.retry(scene["delivering"]) }
        try await harness.resolve(scene["delivering"], .resend)
        harness.worker = try await harness.store.startWorker(id: "after", command: "run", now: harness.now)
        let job = try #require(try await harness.claimDeliveries().first)
        #expect(job.outbound.idempotencyKey == key)
    }

    @Test func `runs on demand end, and inputs that came later are new`() async throws {
        let scene = try await Scene()
        let harness = scene.harness
        try await harness.plant(
            "INSERT INTO run (id, state, submitter, source, created_at) VALUES ('r', 'running', 'local', '', 0)"
        )
        try FileManager.default.removeItem(atPath: scene.backup)
        try await harness.store.backUp(to: scene.backup)
        let later = try await harness.admit("later", number: "L").card
        let next = try await harness.value("SELECT next_order FROM store", as: Int.self)
        try await scene.close()
        _ = try await scene.restore()
        try await scene.reopen()
        #expect(try await harness.value("SELECT state FROM run") == "ended")
        #expect(try await harness.store.cards([later]).isEmpty)
        #expect(try await harness.value("SELECT next_order FROM store") == next)
        #expect(try await !harness.admit("later", number: "L").isDuplicate)
    }

    // MARK: Erased people

    @Test func `who was erased after the backup stays erased, with the certificate of then`() async throws {
        let scene = try await Scene()
        let certificate = try await scene.harness.erase(scene["delivered"])[0]
        let lines = try await scene.harness.value("SELECT count(*) FROM access_log", as: Int.self)
        try await scene.close()
        let report = try await scene.restore()
        #expect(report.erased == 1)
        #expect(report.logLines == 1)
        try await scene.reopen()
        let harness = scene.harness
        #expect(try await scene.state("delivered") == "erased requested")
        var restored = try await harness.store.certificates(of: [scene["delivered"]])[0]
        restored.isScrubbed = true
        #expect(restored == certificate)
        #expect(try await harness.value("SELECT was_delivered FROM card WHERE id = \(scene["delivered"])") == 1)
        // The lines of before, one of the erasing once more, one of the restore.
        #expect(try await harness.value("SELECT count(*) FROM access_log") == (lines ?? 0) + 2)
        #expect(try await harness.findings() == [])
    }

    @Test func `where the sandbox is lost, the list alone keeps them erased; without it they would be back`()
        async throws
    {
        let scene = try await Scene()
        try await scene.harness.erase(scene["prepared"])
        try await scene.close()
        let list = "\(scene.harness.folder)/erasures.jsonl"
        let kept = "\(scene.harness.folder)/kept.jsonl"
        try FileManager.default.moveItem(atPath: list, toPath: kept)
        try FileManager.default.removeItem(atPath: "\(scene.harness.folder)/sandbox.sqlite3")
        // The fault that the list is there against.
        #expect(try await scene.restore().knowsNoErasures)
        try await scene.reopen()
        #expect(try await scene.state("prepared") == "held restored")
        try scene.harness.store.close()
        try FileManager.default.removeItem(atPath: "\(scene.harness.folder)/sandbox.sqlite3")
        let report = try await scene.restore(erasures: [kept])
        #expect(report.erased == 1 && !report.knowsNoErasures)
        try await scene.reopen()
        #expect(try await scene.state("prepared") == "erased requested")
        #expect(try scene.harness.listed().contains(scene["prepared"]))
    }

    @Test func `an erased card that the backup does not know is taken over, and its file does not bring it back`()
        async throws
    {
        let scene = try await Scene()
        let harness = scene.harness
        var status = stat()
        #expect(stat(harness.folder, &status) == 0)
        let file = FileIdentity(path: "/in/late.jpg", status)
        let late = try await harness.store.admit([harness.photo("late", number: "L", file: file)], now: harness.now)[0]
            .card
        let (sent, job) = try await harness.delivering("sent", number: "S")
        try await harness.conclude(job, .accepted)
        try await harness.erase(late, sent)
        try await scene.close()
        let report = try await scene.restore()
        #expect(report.takenOver == 2)
        try await scene.reopen()
        #expect(try await harness.known([file], number: BusinessNumber(stored: "L"))[0]?.state == .erased)
        #expect(try await harness.findings() == [])
        // Its front was delivered, so a back may go.
        harness.worker = try await harness.store.startWorker(id: "after", command: "run", now: harness.now)
        let back = try await harness.verified("back", number: "S", .back)
        #expect(try await harness.proposals() == [[back]])
    }

    // MARK: Keys

    @Test func `a backup of before a change of the key opens with the retired key, and leaves under the current one`()
        async throws
    {
        let scene = try await Scene()
        try await scene.harness.store.end(scene.harness.worker, now: scene.harness.now)
        let new = VaultKey.random()
        _ = try await scene.harness.store.rotateKeys(to: new) {}
        try scene.harness.store.close()
        let error = await #expect(throws: CodedError.self) { try await scene.restore(ring: KeyRing(new)) }
        #expect(error?.code == .wrongKey)
        #expect(error?.message.text().contains(scene.harness.key.id) == true)
        let both = try #require(KeyRing([new, scene.harness.key]))
        #expect(try await scene.restore(ring: both).logLines == 0)
        scene.harness.store = try await CardStore.open(
            path: scene.harness.folder,
            kind: nil,
            ring: KeyRing(new),
            creating: false,
            now: scene.harness.now
        )
        #expect(try await scene.harness.findings() == [])
    }

    @Test func `without the key of the replaced sandbox it says what it cannot know`() async throws {
        let scene = try await Scene()
        let other = try await StoreHarness()
        let theirs = try await other.admit("theirs", number: "T").card
        try await other.erase(theirs)
        try await other.store.end(other.worker, now: other.now)
        try other.store.close()
        let report = try await scene.restore(into: other.folder)
        #expect(report.lacksKeyOfReplaced)
        #expect(report.logLines == nil)
        #expect(report.takenOver == 0)
        other.store = try await CardStore.open(
            path: other.folder,
            kind: nil,
            ring: KeyRing(scene.harness.key),
            creating: false,
            now: other.now
        )
        #expect(try await other.findings() == [])
    }

    // MARK: Refusals

    @Test func `what is no backup, a sandbox in use and one that holds cards are refused, and nothing is changed`()
        async throws
    {
        let scene = try await Scene()
        let harness = scene.harness
        func code(_ restore: () async throws -> RestoreReport) async -> String? {
            do { _ = try await restore() } catch { return (error as? CodedError)?.code.rawValue }
            return nil
        }
        #expect(await code { try await scene.restore() } == "sandbox_busy")
        try await scene.close()
        #expect(await code { try await scene.restore(replacing: false) } == "sandbox_not_empty")
        #expect(await code { try await scene.restore(kind: .embedded) } == "wrong_sandbox")
        let whole = try Data(contentsOf: URL(filePath: scene.backup))
        for (bytes, expected) in [(Data("nonsense".utf8), "not_a_backup"), (whole.prefix(60_000), "sandbox_damaged")] {
            try bytes.write(to: URL(filePath: scene.backup))
            #expect(await code { try await scene.restore() } == expected)
        }
        try FileManager.default.removeItem(atPath: scene.backup)
        #expect(await code { try await scene.restore() } == "not_found")
        try await scene.reopen()
        #expect(try await scene.state("prepared") == "prepared")
        let reader = try await harness.another()
        try whole.write(to: URL(filePath: scene.backup))
        #expect(await code { try await scene.restore() } == "sandbox_busy")
        try reader.close()
    }

    @Test func `a database that is none is replaced only where that is asked for`() async throws {
        let scene = try await Scene()
        try await scene.close()
        let path = "\(scene.harness.folder)/sandbox.sqlite3"
        try Data(repeating: 7, count: 50_000).write(to: URL(filePath: path))
        let error = await #expect(throws: CodedError.self) { try await scene.restore(replacing: false) }
        #expect(error?.code.rawValue == "sandbox_not_empty")
        #expect(try await scene.restore().couldNotReadReplaced)
        try await scene.reopen()
        #expect(try await scene.harness.findings() == [])
    }

    // MARK: Kills

    /// Leaves a card in the write-ahead log alone, as a process does that is killed.
    private static func leaveLog(_ scene: Scene) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [arguments = scene.harness.arguments(Restore.Step.copied) as [String]] in
            let store = try await KilledProcess(arguments: arguments).open()
            let metadata = CardMetadata(businessNumber: BusinessNumber(stored: "W"))
            let admission = Admission(
                id: CardID(rawValue: "walled"),
                name: Redacted("walled"),
                metadata: metadata,
                submitter: "local",
                source: ContentDigest(of: Data("walled".utf8)),
                file: nil,
                content: .received(Data("walled".utf8)),
                waitsUntil: KilledProcess.now
            )
            _ = try await store.admit([admission], now: KilledProcess.now)
            kill(getpid(), SIGKILL)
        }
        let log = try Data(contentsOf: URL(filePath: "\(scene.harness.folder)/sandbox.sqlite3-wal"))
        #expect(!log.isEmpty)
    }

    @Test(arguments: Restore.Step.allCases)
    func `killed at any step, a restore leaves the one sandbox or the other`(step: Restore.Step) async throws {
        let scene = try await Scene()
        try await scene.harness.erase(scene["prepared"])
        try await scene.close()
        try await Self.leaveLog(scene)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [arguments = scene.harness.arguments(step, scene.backup) as [String]] in
            let process = KilledProcess(arguments: arguments)
            var restore = try Restore(
                of: process.rest[0],
                into: process.folder,
                ring: process.ring(),
                replacing: true,
                by: AccessOrigin(actor: "root:restore"),
                now: KilledProcess.now
            )
            restore.reached = { process.reach($0) }
            _ = try await restore.run()
        }
        try await scene.reopen()
        let isNew = step == .renamed
        #expect(try await scene.harness.store.cards([CardID(rawValue: "walled")]).isEmpty == isNew)
        #expect(try await scene.state("delivering") == (isNew ? "held restored" : "delivering"))
        #expect(try await scene.state("prepared") == "erased requested")
        #expect(try await scene.harness.findings() == [])
        try scene.harness.store.close()
        // The next one ends what this one began, and clears away what it left.
        _ = try await scene.restore()
        try await scene.reopen()
        let names = try FileManager.default.contentsOfDirectory(atPath: scene.harness.folder)
        #expect(!names.contains { $0.contains("restoring") })
        #expect(try await scene.harness.findings() == [])
    }

    @Test func `a backup that is put beside the old log would get its cards, which the restore prevents`() async throws
    {
        let scene = try await Scene()
        try await scene.close()
        try await Self.leaveLog(scene)
        let path = "\(scene.harness.folder)/sandbox.sqlite3"
        let log = try Data(contentsOf: URL(filePath: path + "-wal"))
        // The fault that taking the log over first is there against.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: scene.backup, toPath: path)
        let mixed = try? await scene.harness.another()
        let codes = try? await mixed?.check().map(\.code)
        let hasForeign = try? await mixed?.cards([CardID(rawValue: "walled")]).isEmpty == false
        #expect(mixed == nil || codes != [] || hasForeign == true)
        try? mixed?.close()
        try? FileManager.default.removeItem(atPath: path + "-shm")
        try log.write(to: URL(filePath: path + "-wal"))
        _ = try await scene.restore()
        try await scene.reopen()
        #expect(try await scene.harness.store.cards([CardID(rawValue: "walled")]).isEmpty)
        #expect(try await scene.harness.findings() == [])
    }
}
