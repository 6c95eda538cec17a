import Foundation
import TestSupport
import Testing

/// Whose card it is, is never guessed: which paths give a business number to the built command.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BusinessNumberTests {
    @Test func `strangers' sides never become one application, however their files are given`() async throws {
        let tool = try Tool()
        let folder = try tool.folder("Downloads", ["a.jpg": .front(1), "b.jpg": .back(2)]).path
        let within = ["/usr/bin/env", "-C", folder]
        let ways: [([String], [String])] = [
            ([folder], []), (["\(folder)/a.jpg", "\(folder)/b.jpg"], []), (["\(folder)/*.jpg"], []),
            (["\(folder)/**"], []), (["a.jpg", "b.jpg"], within), (["*.jpg"], within),
        ]
        try await tool.servingBoth { file in
            for (paths, wrapper) in ways {
                let outcome = try await tool.run(["run", "--format", "json"] + paths + file, wrapper: wrapper, ends: 1)
                let reasons = try outcome.json().cards.map(\.reason)
                #expect(reasons == ["business_no_missing", "business_no_missing"], "\(paths)")
            }
        }
        #expect(try tool.ledger().isEmpty)
    }

    @Test func `the configuration rules every command, the option one run; a wrong rule ends with 78`() async throws {
        let tool = try Tool()
        let command = ["run", try tool.folder("nest", ["2026/LOAN-1/x.jpg": .front(1)]).path, "--format", "json"]
        let rule = RemoteConfiguration(others: ["intake: {business_no_from: \"folder:2\"}"])
        try await tool.servingBoth(with: rule) { file in
            let other = try await tool.run(command + ["--business-no-from", "folder"] + file, ends: 1)
            let card = try #require(try other.json().cards.first)
            #expect(card.reason == "business_no_missing")
            #expect(card.message?.contains("--business-no-from of run) to folder:1") == true, "\(card.message ?? "")")
            try await tool.run(command + file, ends: 0)
            let wrong = try await tool.run(command + file, ["IDCARD_INTAKE_BUSINESS_NO_FROM": "folder:x"], ends: 78)
            #expect(wrong.errors.contains("intake.business_no_from") && wrong.errors.contains("1 to 64"))
        }
        #expect(try tool.ledger().map(\.businessNo) == ["LOAN-1"])
    }
}
