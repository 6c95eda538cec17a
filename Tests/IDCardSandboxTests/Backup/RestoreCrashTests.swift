import Foundation
import GRDB
import Glibc
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// A restore that is killed leaves the old sandbox or the new one, and never mixes the two.
struct RestoreCrashTests {
    let restoring = RestoringSandbox()
    private var folder: SandboxFolder { self.restoring.sandbox.folder }

    /// Leaves a card in the write-ahead log only, as a process does that is killed.
    private func leaveLog() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = self.folder.path as String] in
            let store = try SandboxStore.open(
                directory: path,
                options: SandboxOptions(endpoints: .embedded, vault: .sample)
            )
            _ = try await store.admit(CheckedSandbox.admission(6), now: .second(20))
            kill(getpid(), SIGKILL)
        }
        #expect((FileFacts(self.folder.database + "-wal")?.size ?? 0) > 0)
    }

    @Test("killed at any point, a restore leaves a whole sandbox", arguments: SandboxRestore.Step.allCases)
    func killed(step: SandboxRestore.Step) async throws {
        try await self.restoring.fillAndBackUp()
        try await self.leaveLog()
        let arguments = [self.folder.path, self.restoring.backup, step.rawValue]
        await #expect(processExitsWith: .signal(SIGKILL)) { [arguments = arguments as [String]] in
            var restore = try SandboxRestore(
                of: arguments[1],
                into: arguments[0],
                options: SandboxOptions(endpoints: .embedded, vault: .sample, now: .second(50)),
                isReplacing: true,
                isResuming: false,
                erasures: [],
                origin: AccessOrigin(actor: "root:restore")
            )
            restore.reached = { if $0.rawValue == arguments[2] { kill(getpid(), SIGKILL) } }
            _ = try await restore.run()
        }
        let isNew = step == .renamed
        let store = try self.folder.open()
        let card = try await store.card(CardID(rawValue: "card-6"))
        #expect((card == nil) == isNew)
        #expect((try await store.stateCounts()[.held] == 3) == isNew)
        _ = try await store.reclaimLeases(now: .second(60))
        let codes = Set(try await store.check().findings.map(\.code))
        #expect(codes.isSubset(of: [.restoreLeft, .ownerFileStale]))
        try await store.close()
        // The next one ends what this one began, and clears away what it left.
        _ = try await self.restoring.restore(replacing: true)
        #expect(try await self.restoring.sandbox.check().words.joined() == "")
    }

    @Test("the log of a sandbox that is replaced is never taken for that of the new one")
    func staleLog() async throws {
        try await self.restoring.fillAndBackUp()
        try await self.leaveLog()
        let log = try Data(contentsOf: URL(fileURLWithPath: self.folder.database + "-wal"))
        _ = try await self.restoring.restore(replacing: true)
        #expect(FileFacts(self.folder.database + "-wal") == nil)
        #expect(FileFacts(self.folder.database + "-shm") == nil)
        let store = try self.folder.open()
        #expect(try await store.card(CardID(rawValue: "card-6")) == nil)
        try await store.close()
        // What would have happened: the log of the one brings its card into the other.
        #expect(!log.isEmpty)
    }

    @Test("a journal that a killed restore left is rolled back before the replaced sandbox is read")
    func leftJournal() async throws {
        try await self.restoring.fillAndBackUp()
        let copy = SandboxFolder()
        try self.folder.raw { db in
            try db.execute(sql: "PRAGMA journal_mode = DELETE")
            // With next to no cache, changed pages reach the file, and the journal the disk, before the commit.
            try db.execute(sql: "PRAGMA cache_size = 1")
            try db.inTransaction {
                try db.execute(sql: "UPDATE image SET jpeg = zeroblob(length(jpeg))")
                try FileManager.default.copyItem(atPath: self.folder.path, toPath: copy.path)
                return .rollback
            }
        }
        #expect((FileFacts(copy.database + "-journal")?.size ?? 0) > 0)
        let report = try await self.restoring.restore(into: copy.path, replacing: true)
        #expect(!report.couldNotReadReplaced)
        #expect(report.replacedCardCount == 5)
        #expect(FileFacts(copy.database + "-journal") == nil)
        let store = try copy.open(readOnly: true)
        #expect(try await store.check().words.joined() == "")
        try await store.close()
    }

    @Test("a log without a database, and a database that is none, are replaced")
    func remains() async throws {
        try await self.restoring.fillAndBackUp()
        try await self.leaveLog()
        try FileManager.default.removeItem(atPath: self.folder.database)
        _ = try await self.restoring.restore()
        #expect(try await self.restoring.sandbox.check().words.joined() == "")
        try Data(repeating: 7, count: 50_000).write(to: URL(fileURLWithPath: self.folder.database))
        let error = await #expect(throws: StoreError.self) { try await self.restoring.restore() }
        #expect(error?.code == .conflict)
        let report = try await self.restoring.restore(replacing: true)
        #expect(report.couldNotReadReplaced)
        #expect(try await self.restoring.sandbox.check().words.joined() == "")
    }
}
