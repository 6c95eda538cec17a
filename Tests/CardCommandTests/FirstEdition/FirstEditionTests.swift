import CardStore
import Foundation
import Testing

/// What the first edition left is told from what this one makes.
@Suite("What the first edition left", .serialized, .timeLimit(.minutes(5)))
struct FirstEditionTests {
    /// Makes a sandbox as the first edition laid it out, as far as a program can tell before it has the key.
    private func plantSandbox(_ tool: Tool) async throws {
        _ = try tool.folder("sandbox/owners")
        try await tool.plant(
            "PRAGMA journal_mode = WAL",
            "PRAGMA application_id = \(0x4944_4350)",
            "PRAGMA user_version = 5",
            "CREATE TABLE vault_key (purpose TEXT NOT NULL PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID",
            "CREATE TABLE owner (id TEXT NOT NULL PRIMARY KEY, started_at INTEGER NOT NULL) STRICT, WITHOUT ROWID"
        )
    }

    /// Every file below the home with its bytes.
    private func files(_ tool: Tool) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: tool.home.path) {
            files[name] = FileManager.default.contents(atPath: "\(tool.home.path)/\(name)") ?? Data()
        }
        return files
    }

    @Test(
        "Its sandbox is refused before a key is asked for, with what to do, and nothing is changed",
        arguments: [
            ["status"], ["cards", "list"], ["fsck"], ["keys", "rotate"], ["restore", "/nowhere"],
            ["serve", "--embedded"],
            ["run", "fixtures/cards", "--embedded"], ["watch", "fixtures/cards", "--embedded"],
            ["config", "check", "--embedded"],
        ]
    )
    func sandbox(arguments: [String]) async throws {
        for withKey in [false, true] {
            let tool = try Tool(withKey: withKey)
            try await self.plantSandbox(tool)
            let before = try self.files(tool)
            let outcome = try await tool.run(arguments + tool.sandboxOption)
            let words = outcome.errors + outcome.output
            #expect(outcome.status == 78, "\(words)")
            #expect(words.contains("was made by the first edition of idcard-pipeline"), "\(words)")
            #expect(words.contains("mv \(tool.sandboxFolder.path) \(tool.sandboxFolder.path).first"), "\(words)")
            #expect(try self.files(tool) == before)
        }
    }

    @Test("Its key file holds the same keys, and `keys init` leaves it alone")
    func keyFile() async throws {
        let tool = try Tool(withKey: false)
        _ = try tool.folder(".config/idcard-pipeline")
        let text = """
            # Keys of an idcard-pipeline sandbox: all of them open what is there, and the first is the newest.
            \(Tool.randomKey())
            \(Tool.randomKey())

            """
        let file = try tool.secretFile(".config/idcard-pipeline/vault.key", text)
        #expect(try await tool.run(["keys", "init"]).status == 78)
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
        try await tool.sandbox().close()
        #expect(try await tool.run(["status"] + tool.sandboxOption).status == 0)
    }

    @Test("Its configuration is refused with a remedy for each key that is gone")
    func configuration() async throws {
        let tool = try Tool()
        let yaml = """
            sandbox: {path: /srv/cards, max_queue: 10000}
            vault: {mode: none}
            stop: {equal_refusals: 3}
            watch: {done_folder: done}
            breaker: {open_for: 2m}
            """
        let file = try tool.secretFile("old.yaml", yaml)
        let outcome = try await tool.run(["config", "check", "--embedded", "--config", file.path], ends: 78)
        for (key, line) in [
            ("sandbox.max_queue", 1), ("vault.mode", 2), ("stop.equal_refusals", 3), ("watch.done_folder", 4),
            ("breaker.open_for", 5),
        ] {
            #expect(outcome.output.contains("\(key) (\(file.path), line \(line)) is gone: "), "\(outcome.output)")
        }
        #expect(!outcome.output.contains("is no key"), "\(outcome.output)")
    }
}
