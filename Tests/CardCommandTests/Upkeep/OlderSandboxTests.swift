import Foundation
import Testing

/// What is said of a sandbox and a build that do not go together.
@Suite(.timeLimit(.minutes(5))) struct OlderSandboxTests {
    private let tool: Tool

    init() throws { self.tool = try Tool() }

    @Test func `config check opens the sandbox, and says what moving an older one away loses`() async throws {
        try await self.tool.admitting(["R-1"])
        let file = try RemoteConfiguration()
            .write(for: self.tool, verifier: "http://127.0.0.1:9/", backend: "http://127.0.0.1:9/")
        try await self.tool.run(["config", "check"] + file, ends: 0)
        let other = ["IDCARD_VAULT_KEY": Tool.randomKey()]
        let wrongKey = try await self.tool.run(["config", "check"] + file, other, ends: 78)
        #expect(wrongKey.output.contains("no given key opens the sandbox"), "\(wrongKey.output)")
        try await self.tool.plant("UPDATE store SET schema = 'older'")
        for command in [["config", "check"], ["status"], ["run"]] {
            let outcome = try await self.tool.run(command + file, ends: 78)
            let said = outcome.output + outcome.errors
            #expect(said.contains("an earlier build of idcard-pipeline made the sandbox"), "\(command): \(said)")
            let loss = ["what was sent, erased or logged", "--new-sandbox"]
            #expect(loss.allSatisfy(said.contains), "\(command): \(said)")
        }
        // As it says.
        let (box, old) = (self.tool.sandboxFolder.path, self.tool.sandboxFolder.path + ".old")
        try FileManager.default.moveItem(atPath: box, toPath: old)
        try await self.tool.run(["run", "--new-sandbox"] + file, ends: 0)
        try await self.tool.run(["status"] + file, ends: 0)
    }

    @Test func `the version names the commit and the schema`() async throws {
        let version = try await self.tool.run(["--version"], ends: 0).output
        #expect(version.wholeMatch(of: /0\.2\.0 \(commit [0-9a-z-]+, schema 1-[0-9a-f]{8}\)\n/) != nil, "\(version)")
    }
}
