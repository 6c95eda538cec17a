import CardModel
import Foundation
import Glibc
import TestSupport
import Testing

/// What the command line writes into the access log, and who it says it was.
@Suite(.timeLimit(.minutes(5))) struct AccessLogTests {
    private let tool: Tool

    init() throws {
        self.tool = try Tool()
    }

    /// The lines of the log but the last, which tells of this look at it.
    private func log() async throws -> [[String: Any]] {
        let log = try await self.tool.run(["cards", "log", "--format", "jsonl"], ends: 0)
        return try log.output.split(separator: "\n").dropLast().map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `root is one person, named as who used sudo, also where it becomes the owner of the sandbox`() async throws {
        let card = try await self.tool.admitting(["R-1"])[0].rawValue
        for command in [["cards", "show", card, "--reveal"], ["backup", self.tool.home.appending(path: "copy").path]] {
            try await self.tool.run(command, ["SUDO_USER": "daemon"], ends: 0)
        }
        // A name that the system does not know says nothing.
        try await self.tool.run(["cards", "show", card, "--reveal"], ["SUDO_USER": "nobody-of-this-name"], ends: 0)
        let lines = try await self.log().map { "\($0["action"] ?? "") \($0["subject"] ?? "") \($0["actor"] ?? "")" }
        #expect(
            lines == [
                "reveal user:root daemon (uid 0):cards show --reveal", "backup user:root daemon (uid 0):backup",
                "reveal user:root root:cards show --reveal",
            ]
        )
    }

    @Test func `a look without what is personal, and a list, leave no line`() async throws {
        let card = try await self.tool.admitting(["R-1"])[0].rawValue
        for command in [["cards", "show", card], ["cards", "list"], ["status"]] {
            try await self.tool.run(command, ends: 0)
        }
        #expect(try await self.log().isEmpty)
    }

    @Test func `an identity number is refused as a purpose or a reason, and stands in no file`() async throws {
        let card = try await self.tool.admitting(["R-1"])[0].rawValue
        let number = "11010519491231002X"
        let why = ["--why", "asked by \(number)"]
        for command in [
            ["cards", "show", card, "--reveal"] + why, ["cards", "export", card, "--output", "out"] + why,
            ["cards", "erase", card, "--yes"] + why, ["cards", "erase", card, "--yes", "--reason", number],
            ["cards", "retry", card] + why, ["cards", "resolve", card, "--as", "reject"] + why, ["cards", "log"] + why,
        ] {
            let refused = try await self.tool.run(command)
            #expect(refused.status == 64, "\(command[1]): \(refused.errors)")
            #expect(!refused.errors.contains(number) && !refused.output.contains(number))
        }
        #expect(try await self.log().isEmpty)
        let files = try #require(FileManager.default.enumerator(atPath: self.tool.home.path)).compactMap {
            $0 as? String
        }
        for file in files {
            let content = (try? Data(contentsOf: self.tool.home.appending(path: file))) ?? Data()
            #expect(content.range(of: Data(number.utf8)) == nil, "\(file)")
        }
    }
}
