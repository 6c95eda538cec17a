import CardModel
import Foundation
import Glibc
import Testing

@testable import CardStore

@Suite struct RestoreKillTests {
    /// Leaves a card in the write-ahead log alone, as a process does that is killed.
    private static func leaveLog(_ scene: RestoreScene) async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [arguments = scene.harness.arguments(Restore.Step.copied) as [String]] in
            let store = try await KilledProcess(arguments: arguments).open()
            let metadata = CardMetadata(businessNumber: BusinessNumber(stored: "W"))
            let source = Data("walled".utf8)
            let admission = NewCard(
                id: CardID(rawValue: "walled"),
                photo: Photo(.bytes(source, ContentDigest(of: source)), name: Redacted("walled"), metadata: metadata),
                submitter: "local",
                source: ContentDigest(of: source),
                content: .received(source),
                waitsUntil: KilledProcess.now
            )
            _ = try await store.intake.admit([admission], now: KilledProcess.now)
            kill(getpid(), SIGKILL)
        }
        #expect(try !Data(contentsOf: URL(filePath: "\(scene.harness.folder)/sandbox.sqlite3-wal")).isEmpty)
    }

    /// What a restore makes in the folder and must not leave.
    private static func leftovers(_ scene: RestoreScene) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scene.harness.folder)
            .filter { $0.contains("restoring") || $0.contains("replaced") }
    }

    @Test(arguments: Restore.Step.allCases)
    func `killed at any step, a restore leaves the one sandbox or the other`(step: Restore.Step) async throws {
        let scene = try await RestoreScene()
        try await scene.harness.erase(scene["prepared"])
        try await scene.close()
        try await Self.leaveLog(scene)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [arguments = scene.harness.arguments(step, scene.backup) as [String]] in
            let process = KilledProcess(arguments: arguments)
            try await process.restore { process.reach($0) }
        }
        try await scene.reopen()
        #expect(try Self.leftovers(scene) == [])
        let isNew = step == .renamed
        #expect(
            try await scene.harness.store.listings.cards([CardID(rawValue: "walled")], for: .process).isEmpty == isNew
        )
        #expect(try await scene.state("delivering") == (isNew ? "held restored" : "delivering"))
        #expect(try await scene.state("prepared") == "erased requested")
        #expect(try await scene.harness.findings() == [])
        try scene.harness.store.close()
        // The next one ends what this one began.
        _ = try await scene.restore()
        try await scene.reopen()
        #expect(try Self.leftovers(scene) == [])
        #expect(try await scene.harness.findings() == [])
    }

    @Test func `on a full disk a restore says so, and the commits in the log stay`() async throws {
        let scene = try await RestoreScene()
        try await scene.close()
        try await Self.leaveLog(scene)
        // Who copies a sandbox leaves it out.
        try FileManager.default.removeItem(atPath: "\(scene.harness.folder)/sandbox.sqlite3-shm")
        await #expect(processExitsWith: .exitCode(42)) {
            [arguments = scene.harness.arguments(Restore.Step.copied, scene.backup) as [String]] in
            let process = KilledProcess(arguments: arguments)
            signal(SIGXFSZ, SIG_IGN)
            // No file may be as long as the shared memory of a log, as where no byte is free.
            var limit = rlimit(rlim_cur: 16 << 10, rlim_max: 16 << 10)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            var errors: [CodedError] = []
            for replacing in [false, true] {
                do {
                    try await process.restore(replacing: replacing)
                } catch let error as CodedError { errors.append(error) }
            }
            guard errors.map(\.code.rawValue) == ["sandbox_not_empty", "sandbox_unavailable"] else { exit(1) }
            let text = errors[0].message.text()
            exit(text.contains("SQLite code") && text.contains("free some space") ? 42 : 2)
        }
        try await scene.reopen()
        #expect(try await scene.harness.store.listings.cards([CardID(rawValue: "walled")], for: .process).count == 1)
        #expect(try Self.leftovers(scene) == [])
    }

    @Test func `the log of an unreadable database is back after failure and kill, and gone with it`() async throws {
        let scene = try await RestoreScene()
        try await scene.close()
        let path = "\(scene.harness.folder)/sandbox.sqlite3"
        let (database, log) = (Data(repeating: 7, count: 50_000), Data("the only copy of a commit".utf8))
        try database.write(to: URL(filePath: path))
        try log.write(to: URL(filePath: path + "-wal"))
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [arguments = scene.harness.arguments(Restore.Step.setAside, scene.backup) as [String]] in
            let process = KilledProcess(arguments: arguments)
            try await process.restore { process.reach($0) }
        }
        #expect(await code { try await scene.reopen() } != nil)
        #expect(try Data(contentsOf: URL(filePath: path + "-wal")) == log)
        #expect(try Self.leftovers(scene) == [])
        // A folder of this name keeps the copy from its place.
        await #expect(throws: CodedError.self) {
            try await KilledProcess(arguments: scene.harness.arguments(Restore.Step.copied, scene.backup)).restore {
                step in
                guard step == .setAside else { return }
                unlink(path)
                mkdir(path, 0o700)
            }
        }
        #expect(try Data(contentsOf: URL(filePath: path + "-wal")) == log)
        #expect(try Self.leftovers(scene) == [])
        rmdir(path)
        try database.write(to: URL(filePath: path))
        #expect(try await scene.restore().replacedUnreadable)
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(try Self.leftovers(scene) == [])
        try await scene.reopen()
        #expect(try await scene.harness.findings() == [])
    }

    @Test func `a backup put beside the old log would get its cards, which the restore prevents`() async throws {
        let scene = try await RestoreScene()
        try await scene.close()
        try await Self.leaveLog(scene)
        let path = "\(scene.harness.folder)/sandbox.sqlite3"
        let log = try Data(contentsOf: URL(filePath: path + "-wal"))
        // The fault that taking the log over first is there against.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: scene.backup, toPath: path)
        // The log's pages are read as the backup's: where they lie decides whether that is the card, or a damaged sandbox.
        if let mixed = try? await scene.harness.another() {
            let seen = try? await mixed.listings.cards([CardID(rawValue: "walled")], for: .process).count
            #expect(seen != 0)
            try? mixed.close()
        }
        try? FileManager.default.removeItem(atPath: path + "-shm")
        try log.write(to: URL(filePath: path + "-wal"))
        _ = try await scene.restore()
        try await scene.reopen()
        #expect(try await scene.harness.store.listings.cards([CardID(rawValue: "walled")], for: .process).isEmpty)
        #expect(try await scene.harness.findings() == [])
    }
}
