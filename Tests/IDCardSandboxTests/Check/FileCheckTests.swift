import Foundation
import GRDB
import Glibc
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// The check looks at files, owners and pages too.
struct FileCheckTests {
    let sandbox = CheckedSandbox()
    private var folder: SandboxFolder { self.sandbox.folder }

    @Test("a page of an image that was overwritten is found, and the card with it")
    func damagedImagePage() async throws {
        try await self.sandbox.fill()
        // Pages of overflow hold image bytes only: the image changes, the file stays well-formed.
        let page = try self.folder.raw { db in
            _ = try db.checkpoint(.truncate)
            return try Int.fetchOne(
                db,
                sql: "SELECT pageno FROM dbstat WHERE name = 'image' AND pagetype = 'overflow' ORDER BY pageno LIMIT 1"
            )
        }
        try self.overwrite(page: try #require(page), from: 4000, with: Data(repeating: 0xEE, count: 1000))
        let report = try await self.sandbox.check()
        #expect(report.findings.map(\.code.rawValue) == ["image_damaged"])
        #expect(try await self.sandbox.check(quick: true).isClean)
    }

    @Test("a page of a table that was overwritten is found, and the rest is still checked")
    func damagedTablePage() async throws {
        try await self.sandbox.fill()
        try self.sandbox.damage(by: ["UPDATE card SET reason = NULL WHERE id = 'card-5'"])
        let page = try self.folder.raw { db in
            _ = try db.checkpoint(.truncate)
            return try Int.fetchOne(db, sql: "SELECT rootpage FROM sqlite_schema WHERE name = 'reading'")
        }
        try self.overwrite(page: try #require(page), from: 0, with: Data(repeating: 0xEE, count: 8192))
        let codes = try await self.sandbox.check().findings.map(\.code)
        #expect(codes.contains(.databaseDamaged))
        #expect(codes.contains(.reasonMissing))
    }

    private func overwrite(page: Int, from offset: Int, with bytes: Data) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: self.folder.database))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64((page - 1) * 8192 + offset))
        try file.write(contentsOf: bytes)
    }

    @Test(
        "what others may look into is found and closed again",
        arguments: [(".", 0o755), ("owners", 0o750), ("sandbox.sqlite3", 0o644), ("opening.lock", 0o660)]
    )
    func modes(name: String, mode: Int) async throws {
        try await self.sandbox.fill()
        chmod(self.folder.path + "/" + name, mode_t(mode))
        let findings = try await self.sandbox.check().findings
        // SQLite gives its log the mode of the database.
        #expect(Set(findings.map(\.code.rawValue)) == ["mode_open"])
        #expect(findings.first?.subject == name)
        try await self.sandbox.repair(findings)
        #expect(try await self.sandbox.check().findings.isEmpty)
    }

    @Test("a file that is not ours is noticed, without its name, and left alone")
    func foreignFile() async throws {
        try await self.sandbox.fill()
        let path = self.folder.path + "/样本甲.jpg"
        #expect(FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]))
        let report = try await self.sandbox.check()
        #expect(report.findings.map(\.code.rawValue) == ["file_foreign"])
        #expect(report.isClean)
        #expect(!"\(report)".contains("样本甲"))
        try await self.sandbox.repair(report.findings)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("a killed process is noticed, its leases are taken back by a repair, and nothing else is")
    func deadOwner() async throws {
        try await self.sandbox.fill()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = self.folder.path as String] in
            let options = SandboxOptions(endpoints: .embedded, vault: .sample, now: .second(0))
            let store = try SandboxStore.open(directory: path, options: options)
            _ = try await store.claimPrepared(limit: 1, until: .second(99), now: .second(5))
            kill(getpid(), SIGKILL)
        }
        let report = try await self.sandbox.check()
        #expect(report.findings.map(\.code.rawValue) == ["owner_dead"])
        #expect(report.isClean)
        try await self.sandbox.repair(report.findings)
        #expect(try await self.sandbox.check().findings.isEmpty)
        #expect(try self.folder.owners().isEmpty)
    }

    @Test("a file of an owner that never came to be known is noticed and removed")
    func staleOwnerFile() async throws {
        try await self.sandbox.fill()
        let path = self.folder.path + "/owners/nobody"
        #expect(FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]))
        let report = try await self.sandbox.check()
        #expect(report.findings.map(\.code.rawValue) == ["owner_file_stale"])
        #expect(report.isClean)
        try await self.sandbox.repair(report.findings)
        #expect(try self.folder.owners().isEmpty)
    }

    @Test("living owners with leases, an open attempt and owners who are just leaving are nothing to find")
    func living() async throws {
        let store = try self.folder.open()
        _ = try await store.reserveIntakeOrders(2)
        _ = try await store.admit(.sample(1), now: .second(1))
        _ = try await store.beginSampleDelivery()
        _ = try await store.admit(.sample(2), now: .second(5))
        _ = try await store.claimPrepared(limit: 1, until: .second(99), now: .second(5))
        let report = try await self.sandbox.check()
        #expect(report.words.isEmpty, "\(report.words)")
        try await store.close()
    }

    @Test("a check while others open, work and close raises no alarm")
    func noFalseAlarm() async throws {
        try await self.sandbox.fill()
        let folder = self.folder
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<3 {
                group.addTask {
                    for round in 0..<6 {
                        let store = try folder.open()
                        let order = try await store.reserveIntakeOrders(1)
                        var admission = try CheckedSandbox.admission(100 + worker * 10 + round)
                        admission.intakeOrder = order
                        _ = try await store.admit(admission, now: .second(10))
                        _ = try await store.claimPrepared(limit: 1, until: .second(99), now: .second(11))
                        try await store.releaseLeases()
                        try await store.close()
                    }
                }
            }
            let sandbox = self.sandbox
            group.addTask {
                for _ in 0..<12 {
                    let report = try await sandbox.check()
                    #expect(report.words.isEmpty, "\(report.words)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a card put aside by a repair says why, in its state and its history")
    func putAside() async throws {
        try await self.sandbox.fill()
        try self.sandbox.damage(by: ["UPDATE image SET jpeg = zeroblob(9) WHERE card IN ('card-3', 'card-4')"])
        try await self.sandbox.repair(try await self.sandbox.check().findings)
        let store = try self.folder.open(readOnly: true)
        for (card, state) in [("card-3", CardState.held), ("card-4", .failed)] {
            let details = try #require(try await store.details(of: CardID(rawValue: card)))
            #expect(details.card.state == state)
            #expect(details.card.reason == .imageUnreadable)
            #expect(details.card.message == StoreError.imageAdvice)
            #expect(details.events.suffix(2).map(\.kind) == [state.rawValue, "repaired"])
        }
    }

    @Test("a card in delivery is never moved by a repair")
    func deliveringStays() async throws {
        try await self.sandbox.fill()
        try self.sandbox.damage(by: ["DELETE FROM image WHERE card = 'card-1'"])
        let findings = try await self.sandbox.check().findings
        #expect(findings.map(\.isRepairable) == [false])
        try await self.sandbox.repair(findings)
        let store = try self.folder.open(readOnly: true)
        #expect(try await store.card(CardID(rawValue: "card-1"))?.state == .delivering)
    }

    @Test("a process that ends leaves no log for a check to find, though another only reads")
    func logLeft() async throws {
        try await self.sandbox.fill()
        let store = try self.folder.open()
        let reader = try self.folder.open(readOnly: true)
        _ = try await reader.stateCounts()
        _ = try await store.erase(
            [CardID(rawValue: CheckedSandbox.prepared)],
            reason: ReasonCode(rawValue: "asked_for"),
            by: AccessOrigin(actor: "root:cards erase"),
            now: .second(30)
        )
        try await store.close()
        try await reader.close()
        let report = try await self.sandbox.check()
        #expect(report.words.isEmpty, "\(report.words)")
    }
}
