import Foundation
import Glibc
import Testing

/// Who may ask.
@Suite(.serialized, .timeLimit(.minutes(5))) struct TokensTests {
    private struct Line: Decodable {
        var id: String
        var name: String
        var scopes: [String]
        var expiresAt: String?
    }

    private let tool: Tool
    private var path: String { self.tool.home.path + "/.config/idcard-pipeline/tokens.json" }

    init() throws { self.tool = try Tool(withKey: false) }

    private func listed() async throws -> [Line] {
        try await self.tool.run(["tokens", "list", "--format", "json"], ends: 0).decoded()
    }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `a token is shown once, kept as a hash in its owner's file, and taken back by its name`() async throws {
        let token = try await self.tool.token("desk", "submit", "read")
        #expect(token.hasPrefix("idcp_"))
        // As serve was told that it works with the built-in endpoints.
        let auditor = ["tokens", "add", "auditor", "--scope", "read", "--days", "0", "--embedded"]
        try await self.tool.run(auditor, ends: 0)
        #expect(try self.mode(of: self.path) == 0o600)
        #expect(try !String(contentsOfFile: self.path, encoding: .utf8).contains(token.dropFirst(5)))
        let listed = try await self.tool.run(["tokens", "list", "--format", "json"])
        let lines = try listed.decoded([Line].self)
        #expect(lines.map(\.name) == ["desk", "auditor"])
        #expect(lines.map(\.scopes) == [["read", "submit"], ["read"]])
        #expect(lines.map { $0.expiresAt == nil } == [false, true])
        let end = try Date(#require(lines.first?.expiresAt), strategy: .iso8601).timeIntervalSinceNow / 86_400
        #expect(89.9...90 ~= end, "\(end)")
        #expect(!listed.output.contains(token))
        #expect(try await self.tool.run(["tokens", "revoke", "desk"]).status == 0)
        let left = try await self.tool.run(["tokens", "list"])
        #expect(left.output.contains("  auditor  read  since "), "\(left.output)")
    }

    @Test func `a name may have several tokens; one goes by its id, all by their name`() async throws {
        let first = try await self.tool.token("desk", "submit")
        let second = try await self.tool.token("desk", "submit", "read")
        _ = try await self.tool.token("other", "read")
        let ids = try await self.listed().map(\.id)
        #expect(first != second && Set(ids).count == 3)
        #expect(ids.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{8}/) != nil })
        let unknown = try await self.tool.run(["tokens", "revoke", "other", "--id", ids[0]], ends: 66)
        #expect(unknown.errors.contains("no token of this name with the id \(ids[0])"), "\(unknown.errors)")
        try await self.tool.run(["tokens", "revoke", "desk", "--id", ids[0]], ends: 0)
        #expect(try await self.listed().map(\.id) == Array(ids[1...]))
        _ = try await self.tool.token("desk", "submit")
        try await self.tool.run(["tokens", "revoke", "desk"], ends: 0)
        #expect(try await self.listed().map(\.name) == ["other"])
    }

    @Test func `a token is written to a new file of its owner, and never shown then`() async throws {
        let output = self.tool.home.appending(path: "desk.token")
        let add = ["tokens", "add", "desk", "--scope", "submit", "--output", output.path]
        let made = try await self.tool.run(add + ["--format", "json"], ends: 0)
        let token = try String(contentsOf: output, encoding: .utf8)
        #expect(token.wholeMatch(of: /idcp_[A-Za-z0-9_-]{43}\n/) != nil)
        #expect(!(made.output + made.errors).contains(token.dropLast()))
        #expect(made.output.contains(try await self.listed()[0].id))
        #expect(try self.mode(of: output.path) == 0o600)
        let again = try await self.tool.run(add)
        #expect(again.status == 74 && again.output.isEmpty)
        #expect(again.errors.contains("it exists; remove it or choose another path"), "\(again.errors)")
        #expect(try String(contentsOf: output, encoding: .utf8) == token)
        #expect(try await self.listed().count == 1)
        // Of a token that cannot be kept no file is left.
        #expect(chmod(self.path, 0o644) == 0)
        let other = self.tool.home.path + "/other.token"
        #expect(try await self.tool.run(["tokens", "add", "b", "--scope", "read", "--output", other]).status == 78)
        #expect(access(other, F_OK) != 0)
    }

    @Test(arguments: ["--config", "file", "none"])
    func `no token has the name of a webhook sender`(kind: String) async throws {
        let secret = "acme=whsec_\(Data(repeating: 1, count: 32).base64EncodedString())"
        let secrets = try self.tool.secretFile("secrets", secret + "\n").path
        let line = kind == "file" ? "webhooks.secrets_file: \(secrets)" : "webhooks.secrets: '\(secret)'"
        let file = try self.tool.secretFile("c.yaml", kind == "none" ? "" : line + "\n").path
        for (name, isRefused) in [("acme", kind != "none"), ("webhook", true), ("acme2", false)] {
            let outcome = try await self.tool.run(["tokens", "add", name, "--scope", "submit", "--config", file])
            #expect(outcome.status == (isRefused ? 78 : 0), "\(name): \(outcome.errors)")
            #expect(outcome.errors.contains("choose another name") == isRefused, "\(outcome.errors)")
        }
    }

    @Test(arguments: [
        (["add", "webhook", "--scope", "read"], Int32(78), "webhook sender"),
        (["add", "a-11010519491231002X", "--scope", "read"], 78, "identity number"),
        (["add", "local", "--scope", "read"], 78, "letters"),
        (["add", "other", "--scope", "write"], 64, "submit, read, run, review, reveal, erase, audit, operate"),
        (["add", "other"], 64, "--scope"),
        (["add", "other", "--scope", "read", "--days", "3651"], 64, "--days"),
        (["revoke", "desk", "--id", "12345"], 64, "--id"),
        (["revoke", "desk", "--id", "00000000"], 66, "tokens list"),
        (["revoke", "nobody"], 66, "tokens list"),
    ])
    func `mistakes are refused, and change nothing`(command: [String], status: Int32, words: String) async throws {
        _ = try await self.tool.token("desk", "submit")
        let before = try Data(contentsOf: URL(filePath: self.path))
        let outcome = try await self.tool.run(["tokens"] + command, ends: status)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
        #expect(try Data(contentsOf: URL(filePath: self.path)) == before)
    }

    @Test func `of several processes none loses what another has added`() async throws {
        try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<6 { group.addTask { try await self.tool.token("desk-\(index)", "read") } }
            try await group.waitForAll()
        }
        let listed = try await self.tool.run(["tokens", "list"])
        #expect(listed.output.split(separator: "\n").count == 6)
    }

    @Test func `a tokens file without an end is read; one of another kind or open to others is refused`() async throws {
        let old = """
            [{"created": "2026-05-12T10:00:00Z", "name": "desk", "scopes": ["read", "submit"],
              "sha256": "\(Data(repeating: 7, count: 32).base64EncodedString())"}]
            """
        _ = try self.tool.folder(".config/idcard-pipeline")
        for (text, mode, words) in [
            (old, 0o600, nil), ("{}", 0o600, "not a list of tokens"), (old, 0o644, "chmod 600"),
        ] {
            _ = try self.tool.secretFile(".config/idcard-pipeline/tokens.json", text, mode: mode)
            let outcome = try await self.tool.run(["tokens", "list"])
            #expect(outcome.status == (words == nil ? 0 : 78))
            #expect(
                words == nil ? outcome.output.contains("  desk  read,submit  ") : outcome.errors.contains(words ?? "")
            )
        }
    }
}
