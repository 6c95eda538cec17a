import Foundation
import Glibc
import Testing

@testable import IDCardSandbox

/// Nobody but the owner looks into a sandbox; serialised because the umask belongs to the whole process.
@Suite(.serialized)
struct PermissionTests {
    let folder = SandboxFolder()

    @Test("directories are 0700 and files 0600 under any umask", arguments: [mode_t(0o000), 0o022, 0o077])
    func modes(mask: mode_t) async throws {
        let before = umask(mask)
        defer { umask(before) }
        let store = try self.folder.open()
        _ = try await store.admit(.sample(1), now: .second(1))
        #expect(try self.folder.mode() == 0o700)
        #expect(try self.folder.mode(of: "owners") == 0o700)
        let files =
            ["sandbox.sqlite3", "sandbox.sqlite3-wal", "sandbox.sqlite3-shm", "opening.lock", "write.lock", "ballast"]
            + (try self.folder.owners().map { "owners/\($0)" })
        #expect(files.count == 7)
        for file in files { #expect(try self.folder.mode(of: file) == 0o600, "\(file)") }
    }

    @Test("a sandbox whose modes were widened is closed again")
    func tightened() async throws {
        try await self.folder.open().close()
        chmod(self.folder.path, 0o755)
        chmod(self.folder.database, 0o644)
        _ = try self.folder.open()
        #expect(try self.folder.mode() == 0o700)
        #expect(try self.folder.mode(of: "sandbox.sqlite3") == 0o600)
    }

    @Test("an empty directory that is there already becomes the sandbox")
    func existingEmpty() throws {
        try FileManager.default.createDirectory(
            atPath: self.folder.path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
        _ = try self.folder.open()
        #expect(try self.folder.mode() == 0o700)
    }
}
