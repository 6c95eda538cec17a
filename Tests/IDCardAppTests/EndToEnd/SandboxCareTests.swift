import Foundation
import IDCardTesting
import Testing

@Suite("fsck, backup and restore as users run them", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct SandboxCareTests {
    private struct Check: Decodable {
        struct Finding: Decodable {
            var code: String
            var severity: String
            var repaired: Bool
        }

        var clean: Bool
        var cards: Int
        var images: Int
        var deliveries: Int
        var findings: [Finding]
    }

    private func check(_ tool: Tool, _ arguments: String..., expecting status: Int32) async throws -> Check {
        let outcome = try await tool.run(["fsck", "--embedded", "--format", "json"] + arguments)
        #expect(outcome.status == status, "\(outcome.output)\(outcome.errors)")
        return try JSONDecoder().decode(Check.self, from: Data(outcome.output.utf8))
    }

    @Test("A run is clean, its backup restores into another sandbox, and nothing is sent again")
    func course() async throws {
        let tool = try Tool()
        let cards = Project.fixtures.appending(path: "cards/LOAN-2026-0001").path
        #expect(try await tool.run(["run", cards, "--business-no", "C-1", "--embedded"]).status == 0)
        let whole = try await self.check(tool, expecting: 0)
        #expect(whole.clean)
        #expect(whole.findings.isEmpty)
        #expect(whole.cards == 2)
        #expect(whole.images == 2)
        #expect(whole.deliveries == 2)

        let backup = tool.home.appending(path: "backup.sqlite3").path
        let backedUp = try await tool.run(["backup", backup, "--embedded"])
        #expect(backedUp.status == 0)
        #expect(backedUp.output.hasPrefix("2 cards, 2 images, 2 deliveries backed up"))
        #expect(try await tool.run(["backup", backup, "--embedded"]).status == 64)
        #expect(try await tool.run(["backup", backup, "--embedded", "--force"]).status == 0)

        #expect(try await tool.run(["restore", backup, "--embedded"]).status == 64)
        #expect(try await tool.run(["restore", backup, "--embedded", "--force"]).status == 0)
        #expect(try await self.check(tool, expecting: 0).findings.isEmpty)
        let again = try await tool.run(["run", cards, "--business-no", "C-1", "--embedded", "--format", "json"])
        #expect(again.status == 0)
        let counts = try again.json().counts
        let known = (counts["duplicate"] ?? 0) + (counts["unchanged"] ?? 0)
        #expect(known == 2, "\(counts)")
        #expect(try await tool.run(["restore", backup, "--force"]).status == 78)
        #expect(try await tool.run(["restore", tool.home.path + "/none", "--embedded", "--force"]).status == 66)
    }

    @Test("What can be repaired is repaired and said, and the next check is clean")
    func repair() async throws {
        let tool = try Tool()
        let empty = tool.home.appending(path: "empty")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        let sandbox = tool.home.appending(path: "sandbox")
        #expect(try await tool.run(["run", empty.path, "--embedded", "--sandbox", sandbox.path]).status == 0)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644],
            ofItemAtPath: sandbox.appending(path: "sandbox.sqlite3").path
        )
        let found = try await self.check(tool, "--sandbox", sandbox.path, expecting: 1)
        // SQLite makes the log of a database with the database's mode.
        #expect(found.findings.map(\.code) == ["mode_open", "mode_open"])
        let repaired = try await self.check(tool, "--sandbox", sandbox.path, "--repair", expecting: 0)
        #expect(repaired.findings.map(\.repaired) == [true, true])
        #expect(try await self.check(tool, "--sandbox", sandbox.path, expecting: 0).findings.isEmpty)
    }

    @Test("A sandbox that is not there cannot be checked or backed up; a backup needs a file")
    func nothingThere() async throws {
        let tool = try Tool()
        #expect(try await tool.run(["fsck", "--embedded"]).status == 74)
        #expect(try await tool.run(["backup", tool.home.path + "/b", "--embedded"]).status == 74)
        #expect(try await tool.run(["backup", "-", "--embedded"]).status == 64)
        #expect(try await tool.run(["backup", "folder/", "--embedded"]).status == 64)
    }
}
