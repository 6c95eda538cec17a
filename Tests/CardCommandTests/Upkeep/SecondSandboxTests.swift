import Foundation
import Testing

/// A mistyped path makes no second sandbox, which would send every photo again.
@Suite(.timeLimit(.minutes(5))) struct SecondSandboxTests {
    private let tool: Tool

    init() throws { self.tool = try Tool() }

    private func isSandbox(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/sandbox.sqlite3")
    }

    @Test func `a path one level off, above or below, sends nothing again`() async throws {
        let (photos, box) = (try self.tool.pairs(), self.tool.sandboxFolder)
        let (above, below) = (box.deletingLastPathComponent().path, box.appending(path: "sandbox").path)
        try await self.tool.servingBoth { file in
            let first = try await self.tool.run(["run", photos.path] + file, ends: 0)
            #expect(first.errors.contains("made the sandbox \(box.path)"), "\(first.errors)")
            func expectRefusal(_ path: String, _ words: String, _ options: String...) async throws {
                let run = ["run", photos.path, "--sandbox", path] + options
                let refused = try await self.tool.run(run + file, ends: 78)
                #expect(refused.errors.contains(words), "\(refused.errors)")
                #expect(!self.isSandbox(path))
            }
            try await expectRefusal(above, "--new-sandbox")
            try await expectRefusal(below, "no sandbox is made within another", "--new-sandbox")
            try await self.tool.run(["keys", "rotate"] + file, ends: 0)
            try await expectRefusal(above, "--new-sandbox")
            let again = try await self.tool.run(["run", photos.path] + file, ends: 0)
            #expect(!again.errors.contains("made the sandbox"), "\(again.errors)")
            try self.tool.expectAllOnce(2)
            // Where a second one is meant, it is made once, and stays.
            let other = ["--sandbox", self.tool.home.appending(path: "other").path] + file
            try await self.tool.run(["run", "--new-sandbox"] + other, ends: 0)
            try await self.tool.run(["run"] + other, ends: 0)
        }
        let key = self.tool.home.appending(path: ".config/idcard-pipeline/vault.key")
        let lines = try String(contentsOf: key, encoding: .utf8).split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("# sandbox: ") } == 2, "\(lines.filter { $0.hasPrefix("#") })")
        #expect(lines.count { !$0.hasPrefix("#") } == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: key.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `with a key in no file, a second sandbox is made and said, but not within the first`() async throws {
        let key = ["IDCARD_VAULT_KEY": Tool.randomKey()]
        try await self.tool.servingBoth { file in
            for name in ["one", "two"] {
                let folder = self.tool.home.appending(path: name).path
                let made = try await self.tool.run(["run", "--sandbox", folder] + file, key, ends: 0)
                #expect(made.errors.contains("made the sandbox \(folder)"), "\(made.errors)")
            }
            let within = self.tool.home.appending(path: "one/workers/deep").path
            try await self.tool.run(["run", "--sandbox", within] + file, key, ends: 78)
            #expect(!self.isSandbox(within))
        }
    }
}
