import Foundation
import Testing

/// A sandbox that lies among the inputs, and inputs that are wrong beside a sandbox that is there.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SandboxAmongInputsTests {
    private static let pair = ["K-1/front.jpg": "cards/LOAN-2026-0001/front.jpg"]

    @Test func `a second run over a folder that holds the sandbox takes nothing from it`() async throws {
        let tool = try Tool()
        let cards = try tool.folder("cards", Self.pair)
        let box = ["IDCARD_SANDBOX_PATH": cards.appending(path: "box").path]
        let command = ["run", cards.path, "--embedded", "--format", "json"]
        #expect(try await tool.run(command, box).status == 0)
        // The built-in backend keeps the photo there.
        let documents = FileManager.default.enumerator(atPath: cards.appending(path: "box/embedded-documents").path)
        #expect(documents?.contains { "\($0)".hasSuffix(".jpg") } == true)
        let again = try await tool.run(command, box, ends: 0)
        #expect(try again.json().cards.map(\.source) == [cards.appending(path: "K-1/front.jpg").path])
        let named = try await tool.run(["run", cards.appending(path: "box").path, "--embedded"], box, ends: 66)
        #expect(named.errors.contains("is the sandbox or lies in it"))
    }

    @Test func `what is wrong with the inputs is said first, and the sandbox is left as it was`() async throws {
        let tool = try Tool()
        let cards = try tool.folder("cards", Self.pair)
        let box = tool.home.appending(path: "box")
        let variables = ["IDCARD_SANDBOX_PATH": box.path]
        let missing = tool.home.appending(path: "missing").path
        func expectComplaint(_ variables: [String: String]) async throws {
            let outcome = try await tool.run(["run", missing, "--embedded"], variables, ends: 66)
            #expect(outcome.errors.contains("no such file or folder"))
            #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
        }
        try await expectComplaint(variables)
        #expect(!FileManager.default.fileExists(atPath: box.path), "a sandbox was made for nothing")
        #expect(try await tool.run(["run", cards.path, "--embedded"], variables).status == 0)
        func workers() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: box.appending(path: "workers").path).sorted()
        }
        let before = try workers()
        try await expectComplaint(variables)
        #expect(try workers() == before)
        let other = try tool.secretFile("other.key", Tool.randomKey())
        var withOther = variables
        withOther["IDCARD_VAULT_KEY_FILE"] = other.path
        try await expectComplaint(withOther)
        // With right inputs the wrong key is said.
        let outcome = try await tool.run(["run", cards.path, "--embedded"], withOther)
        #expect(outcome.errors.contains("no given key opens the sandbox"), "\(outcome.errors)")
        // A database that was only begun is none.
        try FileManager.default.removeItem(at: box)
        try FileManager.default.createDirectory(at: box, withIntermediateDirectories: true)
        try Data().write(to: box.appending(path: "sandbox.sqlite3"))
        try await expectComplaint(variables)
        #expect(try FileManager.default.contentsOfDirectory(atPath: box.path) == ["sandbox.sqlite3"])
    }
}
