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
        let scene = try await RestoreScene()
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
        let scene = try await RestoreScene()
        try await scene.close()
        try await Self.leaveLog(scene)
        let path = "\(scene.harness.folder)/sandbox.sqlite3"
        let log = try Data(contentsOf: URL(filePath: path + "-wal"))
        // The fault that taking the log over first is there against.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: scene.backup, toPath: path)
        let mixed = try await scene.harness.another()
        #expect(try await mixed.cards([CardID(rawValue: "walled")]).count == 1)
        try mixed.close()
        try? FileManager.default.removeItem(atPath: path + "-shm")
        try log.write(to: URL(filePath: path + "-wal"))
        _ = try await scene.restore()
        try await scene.reopen()
        #expect(try await scene.harness.store.cards([CardID(rawValue: "walled")]).isEmpty)
        #expect(try await scene.harness.findings() == [])
    }
}
