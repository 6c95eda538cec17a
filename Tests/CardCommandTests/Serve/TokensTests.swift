import Foundation
import Glibc
import Testing

/// Who may ask.
@Suite("idcard-pipeline tokens", .serialized, .timeLimit(.minutes(5)))
struct TokensTests {
    private struct Line: Decodable {
        var name: String
        var scopes: [String]
        var expiresAt: String?

        enum CodingKeys: String, CodingKey {
            case name
            case scopes
            case expiresAt = "expires_at"
        }
    }

    private let tool: Tool
    private var path: String { self.tool.home.path + "/.config/idcard-pipeline/tokens.json" }

    init() throws { self.tool = try Tool(withKey: false) }

    @Test("A token is shown once, kept as a hash in a file of its owner, and taken back by its name")
    func life() async throws {
        let token = try await self.tool.token("desk", "submit", "read")
        #expect(token.hasPrefix("idcp_"))
        try await self.tool.run(["tokens", "add", "auditor", "--scope", "read", "--days", "30"], ends: 0)
        var status = stat()
        #expect(stat(self.path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(try !String(contentsOfFile: self.path, encoding: .utf8).contains(token.dropFirst(5)))
        let listed = try await self.tool.run(["tokens", "list", "--format", "json"])
        let lines = try JSONDecoder().decode([Line].self, from: Data(listed.output.utf8))
        #expect(lines.map(\.name) == ["desk", "auditor"])
        #expect(lines.map(\.scopes) == [["read", "submit"], ["read"]])
        #expect(lines.map { $0.expiresAt == nil } == [true, false])
        #expect(!listed.output.contains(token))
        #expect(try await self.tool.run(["tokens", "revoke", "desk"]).status == 0)
        let left = try await self.tool.run(["tokens", "list"])
        #expect(left.output.hasPrefix("auditor  read  since "), "\(left.output)")
    }

    @Test(
        "What cannot be is refused, and changes nothing",
        arguments: [
            (["add", "desk", "--scope", "read"], 78, "already"), (["add", "local", "--scope", "read"], 78, "letters"),
            (["add", "other", "--scope", "write"], 64, "submit, read, operate"), (["add", "other"], 64, "--scope"),
            (["add", "other", "--scope", "read", "--days", "0"], 64, "--days"),
            (["revoke", "nobody"], 66, "tokens list"),
        ] as [([String], Int32, String)]
    )
    func refusals(arguments: [String], status: Int32, words: String) async throws {
        _ = try await self.tool.token("desk", "submit")
        let before = try Data(contentsOf: URL(filePath: self.path))
        let outcome = try await self.tool.run(["tokens"] + arguments)
        #expect(outcome.status == status)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
        #expect(try Data(contentsOf: URL(filePath: self.path)) == before)
    }

    @Test("Of several processes none loses what another has added")
    func together() async throws {
        try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<6 { group.addTask { try await self.tool.token("desk-\(index)", "read") } }
            try await group.waitForAll()
        }
        let listed = try await self.tool.run(["tokens", "list"])
        #expect(listed.output.split(separator: "\n").count == 6)
    }

    @Test(
        "A file of tokens without an end is read; one that holds something else, or is open to others, is refused"
    )
    func files() async throws {
        let old = """
            [{"created": "2026-05-12T10:00:00Z", "name": "desk", "scopes": ["read", "submit"],
              "sha256": "\(Data(repeating: 7, count: 32).base64EncodedString())"}]
            """
        _ = try self.tool.folder(".config/idcard-pipeline")
        for (text, mode, words) in [(old, 0o600, nil), ("{}", 0o600, "no list of tokens"), (old, 0o644, "chmod 600")] {
            _ = try self.tool.secretFile(".config/idcard-pipeline/tokens.json", text, mode: mode)
            let outcome = try await self.tool.run(["tokens", "list"])
            #expect(outcome.status == (words == nil ? 0 : 78))
            #expect(words == nil ? outcome.output.hasPrefix("desk ") : outcome.errors.contains(words ?? ""))
        }
    }
}
