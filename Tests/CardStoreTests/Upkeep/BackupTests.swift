import CardModel
import Foundation
import Glibc
import Testing

@testable import CardStore

@Suite final class BackupTests: StoreSuite {
    @Test func `a backup is one closed file of one moment, with nothing beside it`() async throws {
        _ = try await harness.verified("front", number: "N", .front)
        let folder = "\(harness.folder)/backups"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let report = try await harness.backUp(to: "\(folder)/one")
        #expect(report.cards == 1 && report.keyID == harness.key.id && report.findings == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["one"])
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/one")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(attributes[.size] as? Int64 == report.byteCount)
        // The sandbox goes on.
        try await harness.admit("later", number: "M")
        #expect(try await harness.findings() == [])
    }

    @Test func `a file that is there is not replaced, and what a killed backup left is`() async throws {
        try await harness.admit("front", number: "N")
        let path = "\(harness.folder)/one"
        try Data("precious".utf8).write(to: URL(filePath: path))
        #expect(await code { try await harness.backUp(to: path) }?.rawValue == "file_exists")
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("precious".utf8))
        let other = "\(harness.folder)/two"
        try Data("half a backup".utf8).write(to: URL(filePath: other + ".part"))
        try await harness.backUp(to: other)
        #expect(!FileManager.default.fileExists(atPath: other + ".part"))
    }

    @Test func `two backups to one file do not mix`() async throws {
        try await harness.admit("front", number: "N")
        let path = "\(harness.folder)/one"
        let lock = try #require(try FileLock.acquire(path: path + ".part", creating: true, byteCount: 1))
        #expect(await code { try await harness.backUp(to: path) } == .sandboxBusy)
        lock.release()
        try await harness.backUp(to: path)
    }

    @Test func `a backup of a sandbox with a broken log is not made`() async throws {
        _ = try await harness.verified("front", number: "N", .front)
        try await harness.plant("UPDATE access_log SET purpose = 'other'")
        let path = "\(harness.folder)/one"
        #expect(await code { try await harness.backUp(to: path) } == .sandboxDamaged)
        for suffix in ["", ".part", ".part-wal", ".part-journal"] {
            #expect(!FileManager.default.fileExists(atPath: path + suffix), "\(suffix)")
        }
    }
}
