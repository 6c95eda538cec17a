import Foundation
import Subprocess
import TestSupport
import Testing

/// Whose card it is, is never guessed: which paths give a business number to the built command.
@Suite("Business numbers from paths", .serialized, .timeLimit(.minutes(5)))
struct BusinessNumberTests {
    private let tool: Tool

    init() throws {
        self.tool = try Tool()
    }

    /// Serves the endpoints for as long as a function runs, which is given a function that runs over paths.
    private func serving(
        _ others: [String] = [],
        _ body: (_ run: (_ arguments: [String], _ wrapper: [String]) async throws -> Tool.Outcome) async throws -> Void
    ) async throws {
        let configuration = RemoteConfiguration(others: others)
        try await self.tool.servingBoth(with: configuration) { file in
            try await body { arguments, wrapper in
                try await self.tool.run(["run"] + arguments + ["--format", "json"] + file, wrapper: wrapper)
            }
        }
    }

    /// The cases under which the backend has documents.
    private func cases() throws -> [String] { Set(try self.tool.ledger().map(\.businessNo)).sorted() }

    @Test("Strangers' sides named as files, by a pattern or from within their folder never become one application")
    func strangers() async throws {
        let folder = try self.tool.folder(
            "Downloads",
            ["a.jpg": .front(1), "b.jpg": .back(2)]
        )
        let ways: [([String], [String])] = [
            ([folder.path], []), ([folder.path + "/a.jpg", folder.path + "/b.jpg"], []), ([folder.path + "/*.jpg"], []),
            (["a.jpg", "b.jpg"], ["/usr/bin/env", "-C", folder.path]),
            (["*.jpg"], ["/usr/bin/env", "-C", folder.path]),
            ([folder.path + "/**"], []),
        ]
        try await self.serving { run in
            for (paths, wrapper) in ways {
                let outcome = try await run(paths, wrapper)
                #expect(outcome.status == 1, "\(paths): \(outcome.errors)")
                let reasons = try outcome.json().cards.map(\.reason)
                #expect(reasons == ["business_no_missing", "business_no_missing"], "\(paths)")
            }
        }
        #expect(try self.cases().isEmpty)
    }

    @Test("A deeper folder gives a number only when told which one")
    func nested() async throws {
        let folder = try self.tool.folder(
            "nest",
            ["LOAN-1/身份证/front.jpg": .front(1), "LOAN-1/身份证/back.jpg": .back(1)]
        )
        try await self.serving { run in
            let refused = try await run([folder.path], [])
            #expect(refused.status == 1)
            let cards = try refused.json().cards
            #expect(cards.map(\.reason) == ["business_no_missing", "business_no_missing"])
            #expect(cards.allSatisfy { $0.message?.contains("--business-no-from folder:1") == true })
            #expect(try self.cases().isEmpty)
            let told = try await run([folder.path, "--business-no-from", "folder:1"], [])
            #expect(told.status == 0, "\(told.errors)")
        }
        #expect(try self.cases() == ["LOAN-1"])
    }

    @Test("Folders named themselves, as the shell expands cards/*, give their names only when told")
    func namedFolders() async throws {
        let folder = try self.tool.folder(
            "cards",
            ["LOAN-1/front.jpg": .front(1), "LOAN-2/front.jpg": .front(2)]
        )
        let paths = ["LOAN-1", "LOAN-2"].map { folder.appending(path: $0).path }
        try await self.serving { run in
            let refused = try await run(paths, [])
            #expect(refused.status == 1)
            #expect(try refused.json().cards.allSatisfy { $0.message?.contains("--business-no-from root") == true })
            #expect(try self.cases().isEmpty)
            #expect(try await run(paths + ["--business-no-from", "root"], []).status == 0)
        }
        #expect(try self.cases() == ["LOAN-1", "LOAN-2"])
    }

    @Test("The configuration says it for every command, the option for one run; a rule that is none ends with 78")
    func configured() async throws {
        let folder = try self.tool.folder("nest", ["2026/LOAN-1/x.jpg": .front(1)])
        try await self.serving(["intake: {business_no_from: \"folder:2\"}"]) { run in
            let other = try await run([folder.path, "--business-no-from", "none"], [])
            #expect(try other.json().cards.map(\.reason) == ["business_no_missing"])
            #expect(try await run([folder.path], []).status == 0)
        }
        #expect(try self.cases() == ["LOAN-1"])
        try await self.serving(["intake: {business_no_from: \"folder:x\"}"]) { run in
            let wrong = try await run([folder.path], [])
            #expect(wrong.status == 78)
            #expect(wrong.errors.contains("intake.business_no_from") && wrong.errors.contains("1 to 64"))
        }
    }

    @Test("A spreadsheet's number is refused by the name of a folder, and nothing is sent under it")
    func spreadsheet() async throws {
        let folder = try self.tool.folder(
            "cards",
            ["1.23457E+15/a.jpg": .front(1), "1.23457E+15/b.jpg": .back(2)]
        )
        try await self.serving { run in
            let outcome = try await run([folder.path], [])
            #expect(outcome.status == 1)
            let cards = try outcome.json().cards
            #expect(cards.map(\.reason) == ["business_no_invalid", "business_no_invalid"])
            #expect(cards.allSatisfy { $0.message?.contains("format the column as text") == true })
        }
        #expect(try self.cases().isEmpty)
    }

    @Test(
        "A number that is long by marks on few letters, or holds what nobody sees, is refused",
        arguments: [
            String(repeating: "e" + String(repeating: "\u{301}", count: 40), count: 8), "R-1\u{7}", "R-1\u{200B}",
        ]
    )
    func unprintable(number: String) async throws {
        let photos = try self.tool.folder("photos", ["a.jpg": .front(1)])
        let manifest = self.tool.home.appending(path: "manifest.jsonl")
        let row = ["path": photos.path + "/a.jpg", "business_no": number]
        try JSONEncoder().encode(row).write(to: manifest)
        try await self.serving { run in
            let outcome = try await run([photos.path, "--business-no", number], [])
            #expect(outcome.status == 64, "\(outcome.output)")
            let listed = try await run(["--manifest", manifest.path], [])
            #expect(listed.status == 1, "\(listed.output)")
        }
        #expect(try self.cases().isEmpty)
    }
}
