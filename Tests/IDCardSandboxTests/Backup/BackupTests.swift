import Foundation
import GRDB
import Glibc
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// A backup is whole, of one moment, and there or not there.
struct BackupTests {
    let sandbox = CheckedSandbox()
    /// Where backups go: a folder beside the sandbox.
    let target = SandboxFolder()
    private var file: String { self.target.path + "/backup.sqlite3" }

    init() throws {
        try FileManager.default.createDirectory(atPath: self.target.path, withIntermediateDirectories: true)
    }

    private func backUp(replacing: Bool = false, to file: String? = nil) async throws -> BackupReport {
        let store = try self.sandbox.folder.open(readOnly: true)
        let report = try await store.backUp(to: file ?? self.file, replacing: replacing)
        try await store.close()
        return report
    }

    private func raw<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let queue = try DatabaseQueue(path: self.file)
        defer { try? queue.close() }
        return try queue.read(body)
    }

    private func everything() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.target.path)
    }

    @Test("a backup holds the rows of the sandbox, for its owner's eyes only, and nothing is beside it")
    func whole() async throws {
        try await self.sandbox.fill()
        let report = try await self.backUp()
        #expect(report.cardCount == 5)
        #expect(report.imageCount == 4)
        #expect(report.deliveryCount == 2)
        #expect(report.brokenRuleCount == 0)
        #expect(report.byteCount == FileFacts(self.file)?.size)
        #expect(FileFacts(self.file)?.mode == 0o600)
        #expect(try self.everything() == ["backup.sqlite3"])
        for table in ["card", "image", "reading", "delivery", "delivery_card", "attempt", "event", "access_log"] {
            let sql = "SELECT count(*) FROM \(table)"
            let copied = try self.raw { try Int.fetchOne($0, sql: sql) }
            #expect(try self.sandbox.folder.raw { try Int.fetchOne($0, sql: sql) } == copied, "\(table)")
        }
        let pragmas = ["page_size": 8192, "auto_vacuum": 2, "application_id": 0x4944_4350]
        for (name, value) in pragmas {
            #expect(try self.raw { try Int.fetchOne($0, sql: "PRAGMA \(name)") } == value)
        }
    }

    @Test("leases, owners and pauses stay with the processes they belong to")
    func processes() async throws {
        let store = try self.sandbox.folder.open()
        _ = try await store.reserveIntakeOrders(1)
        _ = try await store.admit(.sample(1), now: .second(1))
        _ = try await store.claimPrepared(limit: 1, until: .second(99), now: .second(1))
        try await store.setPause(StagePause(code: "x", message: "x", since: .second(1)), of: .verify)
        _ = try await self.backUp()
        for sql in [
            "SELECT count(*) FROM owner", "SELECT count(*) FROM stage_pause",
            "SELECT count(*) FROM card WHERE lease_owner IS NOT NULL",
        ] {
            #expect(try self.raw { try Int.fetchOne($0, sql: sql) } == 0, "\(sql)")
        }
        #expect(try await store.pauses().count == 1)
        try await store.close()
    }

    @Test("a backup made while others write is of one moment")
    func whileWriting() async throws {
        let store = try self.sandbox.folder.open()
        _ = try await store.reserveIntakeOrders(1000)
        _ = try await store.admit(CheckedSandbox.admission(1), now: .second(1))
        let file = self.file
        let folder = self.sandbox.folder
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 2...60 { _ = try await store.admit(CheckedSandbox.admission(number), now: .second(1)) }
            }
            group.addTask {
                let reader = try folder.open(readOnly: true)
                for _ in 0..<5 {
                    let report = try await reader.backUp(to: file, replacing: true)
                    // A card and its image are one transaction.
                    #expect(report.cardCount == report.imageCount)
                    #expect(report.brokenRuleCount == 0)
                }
                try await reader.close()
            }
            try await group.waitForAll()
        }
        try await store.close()
    }

    @Test("a file that is there is replaced only if asked, and stays as it was otherwise")
    func existing() async throws {
        try await self.sandbox.fill()
        try Data("theirs".utf8).write(to: URL(fileURLWithPath: self.file))
        let error = await #expect(throws: StoreError.self) { try await self.backUp() }
        #expect(error?.code == .conflict)
        #expect(try Data(contentsOf: URL(fileURLWithPath: self.file)) == Data("theirs".utf8))
        _ = try await self.backUp(replacing: true)
        #expect(try self.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM card") } == 5)
        #expect(try self.everything() == ["backup.sqlite3"])
    }

    @Test("a folder, the sandbox itself and a place that is not there are refused, and nothing is left behind")
    func impossibleTargets() async throws {
        try await self.sandbox.fill()
        let targets: [(String, StoreError.Code)] = [
            (self.target.path, .conflict), (self.sandbox.folder.database, .conflict),
            (self.target.path + "/nowhere/b", .unavailable),
        ]
        for (target, code) in targets {
            let error = await #expect(throws: StoreError.self) { try await self.backUp(replacing: true, to: target) }
            #expect(error?.code == code)
            #expect(error?.message.contains(target) == true)
        }
        #expect(try self.everything() == [])
        #expect(try await self.sandbox.check().findings.isEmpty)
    }

    @Test("what a killed backup left in the folder is removed by the next one, and nothing else")
    func left() async throws {
        try await self.sandbox.fill()
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [folder = self.target.path as String, database = self.sandbox.folder.database as String] in
            let part = try BackupPart.begin(in: folder)
            try SandboxStore.copyDatabase(database, to: part.path)
            kill(getpid(), SIGKILL)
        }
        let left = try #require(try self.everything().first)
        #expect(left.hasPrefix(".backup-"))
        #expect((FileFacts(self.target.path + "/" + left)?.size ?? 0) > 0)
        let theirs = [".backup-mine.part", "backup-\(left)", left + ".old"]
        for name in theirs { try Data("theirs".utf8).write(to: URL(fileURLWithPath: self.target.path + "/" + name)) }
        _ = try await self.backUp()
        #expect(try Set(self.everything()) == Set(theirs + ["backup.sqlite3"]))
    }

    @Test("what another backup is just making stays, and becomes its backup")
    func underWay() async throws {
        try await self.sandbox.fill()
        let part = try BackupPart.begin(in: self.target.path)
        _ = try await self.backUp()
        #expect(FileFacts(part.path)?.size == 0)
        // Locked, it is written by SQLite all the same.
        try SandboxStore.copyDatabase(self.sandbox.folder.database, to: part.path)
        _ = try await self.backUp(replacing: true)
        #expect((FileFacts(part.path)?.size ?? 0) > 0)
        part.end()
        #expect(try self.everything() == ["backup.sqlite3"])
    }

    @Test("a backup of a damaged sandbox is none")
    func damagedSandbox() async throws {
        try await self.sandbox.fill()
        try self.sandbox.damage(by: ["DELETE FROM access_log WHERE number = 1"])
        let error = await #expect(throws: StoreError.self) { try await self.backUp() }
        #expect(error?.code == .corrupt)
        #expect(try self.everything() == [])
    }
}
