import Foundation
import IDCardTesting
import Testing

@Suite("idcard-pipeline keys", .timeLimit(.minutes(Sanitizer.minutes(5))))
struct KeysTests {
    private struct Rotation: Decodable {
        var keyId: String
        var newKey: Bool
        var rewrapped: Int
        var total: Int
        var damaged: Int
        var retired: [String]
        var step: String
    }

    /// Takes both steps; what the second one did, and whether the first one made a key.
    private func rotate(_ tool: Tool, _ variables: [String: String] = [:]) async throws -> Rotation {
        let command = ["keys", "rotate", "--embedded", "--format", "json"]
        let first = try await tool.run(command, variables)
        #expect(first.status == 0, "\(first.errors)")
        let announced = try self.rotation(first)
        #expect(announced.step == "announced" && announced.rewrapped == 0 && announced.retired.isEmpty)
        let second = try await tool.run(command + ["--finish"], variables)
        #expect(second.status == 0, "\(second.errors)")
        var report = try self.rotation(second)
        #expect(report.step == "finished" && report.keyId == announced.keyId)
        report.newKey = announced.newKey
        return report
    }

    private func rotation(_ outcome: Tool.Outcome) throws -> Rotation {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Rotation.self, from: Data(outcome.output.utf8))
    }

    /// Takes in a pair with the embedded endpoints.
    private func takeIn(_ tool: Tool, _ variables: [String: String] = [:]) async throws -> Tool.Outcome {
        let photos = tool.home.appending(path: "photos")
        if !FileManager.default.fileExists(atPath: photos.path) { _ = try tool.pairs() }
        return try await tool.run(["run", photos.path, "--embedded", "--format", "json"], variables)
    }

    private func embeddedKey(_ tool: Tool) -> String { tool.home.path + "/.config/idcard-pipeline/embedded.key" }

    @Test("keys init makes a file that is used at once, and never replaces one")
    func initialise() async throws {
        let tool = try Tool(withKey: false)
        let usual = tool.home.path + "/.config/idcard-pipeline/vault.key"
        let made = try await tool.run(["keys", "init"])
        #expect(made.status == 0 && made.output.contains(usual), "\(made.errors)")
        let attributes = try FileManager.default.attributesOfItem(atPath: usual)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let before = try String(contentsOfFile: usual, encoding: .utf8)
        #expect(!made.output.contains(try #require(before.split(separator: "\n").last)))
        let again = try await tool.run(["keys", "init"])
        #expect(again.status == 78 && again.errors.contains("not replaced"))
        #expect(try String(contentsOfFile: usual, encoding: .utf8) == before)
        let named = try await tool.run([
            "keys", "init", "--key-file", tool.home.path + "/other/x.key", "--format", "json",
        ])
        #expect(named.status == 0 && named.output.contains("\"default\" : false"), "\(named.errors)")
        #expect(FileManager.default.fileExists(atPath: tool.home.path + "/other/x.key"))
    }

    @Test("keys init makes the file that the configuration names, although it is not there yet")
    func configured() async throws {
        let tool = try Tool(withKey: false)
        let file = try tool.secretFile("c.yaml", "vault:\n  key_file: ~/keys/mine.key\n").path
        let made = try await tool.run(["keys", "init", "--config", file])
        #expect(made.status == 0, "\(made.errors)")
        #expect(FileManager.default.fileExists(atPath: tool.home.path + "/keys/mine.key"))
    }

    @Test("--embedded makes its key once and says so; a key that is gone ends with 78 and none is made")
    func embedded() async throws {
        let tool = try Tool(withKey: false)
        let first = try await self.takeIn(tool)
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.errors.contains(self.embeddedKey(tool)))
        let second = try await self.takeIn(tool)
        #expect(second.status == 0 && !second.errors.contains("embedded.key"), "\(second.errors)")
        try FileManager.default.removeItem(atPath: self.embeddedKey(tool))
        for command in [["status"], ["cards", "list"], ["run", tool.home.path + "/photos"], ["keys", "rotate"]] {
            let outcome = try await tool.run(command + ["--embedded"])
            #expect(outcome.status == 78 && outcome.errors.contains("embedded.key does not exist"), "\(command)")
        }
        #expect(!FileManager.default.fileExists(atPath: self.embeddedKey(tool)))
    }

    @Test("A wrong key, a mode that does not fit and no key at all end with 78, each with what to do")
    func refused() async throws {
        let tool = try Tool(withKey: false)
        #expect(try await self.takeIn(tool).status == 0)
        let cases: [([String: String], String)] = [
            (["IDCARD_VAULT_KEY": Tool.randomKey()], "does not open the sandbox"),
            (["IDCARD_VAULT_MODE": "none"], "is encrypted"),
            (["IDCARD_VAULT_KEY": "nonsense"], "vault.key"),
        ]
        for (variables, words) in cases {
            for command in [["status"], ["cards", "list"], ["run", tool.home.path + "/photos"], ["fsck"]] {
                let outcome = try await tool.run(command + ["--embedded"], variables)
                #expect(outcome.status == 78 && outcome.errors.contains(words), "\(command): \(outcome.errors)")
            }
        }
    }

    @Test("vault.mode: none works when it is written down, and every start that changes something warns")
    func unencrypted() async throws {
        let tool = try Tool(withKey: false)
        let none = ["IDCARD_VAULT_MODE": "none"]
        for _ in 1...2 {
            let outcome = try await self.takeIn(tool, none)
            #expect(outcome.status == 0 && outcome.errors.contains("warning: vault.mode is none"), "\(outcome.errors)")
            #expect(outcome.errors.components(separatedBy: "vault.mode is none").count == 2)
        }
        #expect(!FileManager.default.fileExists(atPath: self.embeddedKey(tool)))
        let encrypted = try await self.takeIn(tool)
        #expect(encrypted.status == 78 && encrypted.errors.contains("is not encrypted"), "\(encrypted.errors)")
        #expect(!FileManager.default.fileExists(atPath: self.embeddedKey(tool)))
        let rotation = try await tool.run(["keys", "rotate", "--embedded"], none)
        #expect(rotation.status == 78, "\(rotation.errors)")
    }

    @Test("keys rotate replaces the key; what is there opens, is known, and the old key lies apart")
    func rotate() async throws {
        let tool = try Tool(withKey: false)
        #expect(try await self.takeIn(tool).status == 0)
        let old = try String(contentsOfFile: self.embeddedKey(tool), encoding: .utf8)
        let report = try await self.rotate(tool)
        #expect(report.newKey && report.rewrapped == report.total && report.damaged == 0 && report.total > 0)
        #expect(try report.retired.map { try String(contentsOfFile: $0, encoding: .utf8) } == [old])
        #expect(try String(contentsOfFile: self.embeddedKey(tool), encoding: .utf8) != old)
        #expect(try await self.takeIn(tool).json().counts["duplicate"] == 2)
        let next = try await self.rotate(tool)
        #expect(next.newKey && next.keyId != report.keyId)
    }

    @Test("keys rotate alone changes nothing that is in use, says what comes next, and makes no second key")
    func announcedOnly() async throws {
        let tool = try Tool(withKey: false)
        #expect(try await self.takeIn(tool).status == 0)
        let old = try String(contentsOfFile: self.embeddedKey(tool), encoding: .utf8)
        let early = try await tool.run(["keys", "rotate", "--finish", "--embedded"])
        #expect(early.status == 78 && early.errors.contains("keys rotate"), "\(early.errors)")
        #expect(try await tool.run(["keys", "rotate", "--force", "--embedded"]).status == 64)
        for _ in 1...2 {
            let outcome = try await tool.run(["keys", "rotate", "--embedded"])
            #expect(outcome.status == 0 && outcome.output.contains("keys rotate --finish"), "\(outcome.errors)")
        }
        let keys = try String(contentsOfFile: self.embeddedKey(tool), encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
        #expect(keys.count == 2)
        #expect(try old.contains(#require(keys.last)))
        // A copy of the old key, as a backup or another machine may have it, still opens the sandbox.
        #expect(try await self.takeIn(tool, ["IDCARD_VAULT_KEY": String(try #require(keys.last))]).status == 0)
        let check = try await tool.run(["fsck", "--embedded"])
        #expect(check.status == 0 && check.output.contains("key_announced"), "\(check.output)")
    }

    @Test("A rotation that was cut short after it wrote the key file is finished, and no other key is made")
    func resume() async throws {
        let tool = try Tool(withKey: false)
        #expect(try await self.takeIn(tool).status == 0)
        let old = try String(contentsOfFile: self.embeddedKey(tool), encoding: .utf8)
        let new = Tool.randomKey()
        _ = try tool.secretFile(".config/idcard-pipeline/embedded.key", new + "\n" + old)
        let report = try await self.rotate(tool)
        #expect(!report.newKey && report.rewrapped == report.total && report.retired.count == 1)
        #expect(try String(contentsOfFile: self.embeddedKey(tool), encoding: .utf8).contains(new))
        #expect(try await self.takeIn(tool).json().counts["duplicate"] == 2)
    }

    @Test("A rotation on one sandbox leaves another of the same key file open, and its own rotation finishes by itself")
    func twoSandboxes() async throws {
        let tool = try Tool(withKey: false)
        let other = ["IDCARD_SANDBOX_PATH": tool.home.appending(path: "other").path]
        #expect(try await self.takeIn(tool).status == 0)
        #expect(try await self.takeIn(tool, other).status == 0)
        let first = try await self.rotate(tool)
        let again = try await self.takeIn(tool, other)
        #expect(again.status == 0, "\(again.errors)")
        #expect(try again.json().counts["duplicate"] == 2)
        let second = try await self.rotate(tool, other)
        #expect(!second.newKey && second.keyId == first.keyId && second.rewrapped == second.total)
        for retired in first.retired { try FileManager.default.removeItem(atPath: retired) }
        #expect(try await self.takeIn(tool, other).json().counts["duplicate"] == 2)
    }

    @Test("A command that gives a secret is not given the others")
    func secretCommand() async throws {
        let tool = try Tool(withKey: false)
        let key = Tool.randomKey()
        let command = "test -z \"$IDCARD_VERIFICATION_API_SECRET\" && test -n \"$HOME\" && echo \(key)"
        let outcome = try await self.takeIn(
            tool,
            ["IDCARD_VAULT_KEY_COMMAND": command, "IDCARD_VERIFICATION_API_SECRET": "sentinel-canary"]
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("keys init makes no key inside a sandbox, where it would be copied with what it protects")
    func inSandbox() async throws {
        let tool = try Tool(withKey: false)
        #expect(try await self.takeIn(tool).status == 0)
        let data = tool.home.path + "/.local/share/idcard-pipeline"
        for name in ["embedded/x.key", "embedded/deep/x.key", "sandbox/x.key"] {
            let path = "\(data)/\(name)"
            let outcome = try await tool.run(["keys", "init", "--key-file", path])
            #expect(outcome.status == 78 && outcome.errors.contains("inside"), "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("With the keys in the environment the first is changed to; without another there is nothing to change to")
    func environment() async throws {
        let tool = try Tool(withKey: false)
        let (one, two) = (Tool.randomKey(), Tool.randomKey())
        #expect(try await self.takeIn(tool, ["IDCARD_VAULT_KEY": one]).status == 0)
        let command = ["keys", "rotate", "--embedded", "--format", "json"]
        let alone = try await tool.run(command, ["IDCARD_VAULT_KEY": one])
        #expect(alone.status == 78 && alone.errors.contains("no key to change to"), "\(alone.errors)")
        let keys = ["IDCARD_VAULT_KEY": "\(two),\(one)"]
        #expect(try await tool.run(command, keys).status == 0)
        #expect(try await self.takeIn(tool, ["IDCARD_VAULT_KEY": one]).status == 0)
        let both = try await tool.run(command + ["--finish"], keys)
        #expect(both.status == 0 && both.output.contains("take the old key out"), "\(both.errors)")
        #expect(try await self.takeIn(tool, ["IDCARD_VAULT_KEY": one]).status == 78)
        #expect(try await self.takeIn(tool, ["IDCARD_VAULT_KEY": two]).status == 0)
    }
}
