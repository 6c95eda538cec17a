import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardServer

/// Looking at cases.
@Suite(.serving, .timeLimit(.minutes(5))) struct CaseTests {
    private func submit(_ number: String) async throws {
        let image = RawRequest.image(Specimen.jpeg(number), token: "submitter", businessNumber: number)
        #expect(try await harness.send(image).status == 202)
    }

    private func cases(_ query: String) async throws -> [[String: Any]] {
        let answer = try await harness.send(RawRequest("GET", "/v1/cases" + query, token: "auditor"))
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json["cases"] as? [[String: Any]] ?? []
    }

    @Test func `a list of cases is paged through by its cursor, each case once`() async throws {
        let numbers = ["A-1", "B/2", "C&3", "A-4"]
        for number in numbers { try await self.submit(number) }
        var (seen, cursor) = ([String](), String?.none)
        repeat {
            let suffix = cursor.map { "&cursor=\($0)" } ?? ""
            let page = try await harness.send(RawRequest("GET", "/v1/cases?limit=1\(suffix)", token: "auditor"))
            seen += (page.json["cases"] as? [[String: Any]] ?? []).compactMap { $0["business_no"] as? String }
            cursor = page.json["next_cursor"] as? String
        } while cursor != nil
        #expect(seen.sorted() == numbers.sorted())
    }

    @Test func `a case is found by its number and state, with what is missing`() async throws {
        try await self.submit("B/2")
        let found = try await self.cases("?business_no=B%2F2&state=in_progress,complete")
        let one = try #require(found.first)
        #expect(one["state"] as? String == "in_progress" && one["missing"] as? [String] == ["front", "back"])
        #expect(try await self.cases("?business_no=B%2F2&state=retake").isEmpty)
        #expect(try await self.cases("?business_no=Z-9").isEmpty)
    }

    @Test func `two spellings of a number are one case, shown as it was first given`() async throws {
        let (composed, apart) = ("Cr%C3%A9dit-7", "Cre%CC%81dit-7")
        try await self.submit(apart)
        try await self.submit(composed)
        let all = try await self.cases("").compactMap { $0["business_no"] as? String }
        #expect(all.map { Array($0.utf8) } == [Array("Cre\u{301}dit-7".utf8)])
        for spelling in [composed, apart] {
            #expect(try await self.cases("?business_no=" + spelling).count == 1)
            let list = RawRequest("GET", "/v1/cards?business_no=" + spelling, token: "auditor")
            #expect((try await harness.send(list).json["cards"] as? [Any])?.count == 2)
        }
    }

    @Test(arguments: [
        "state=done", "cursor=x", "cursor=done.1.41", "cursor=retake.1.ff", "cursor=retake..41", "limit=0",
        "business_no=", "since=1h",
        "state=retake&business_no=a&business_no=b",
    ])
    func `what is wrong in the query is named`(query: String) async throws {
        let answer = try await harness.send(RawRequest("GET", "/v1/cases?" + query, token: "auditor"))
        #expect(answer.problem == "422 parameter_invalid")
    }

    @Test func `a sender sees the numbers whose first card is its own, without a trace of the cards of others`()
        async throws
    {
        let tokens = [("own", [TokenScope.submit, .read]), ("other", [.submit]), ("auditor", [.audit])]
        try await ServerHarness.with({ $0.tokens = { tokens.map { ServerHarness.token($0.0, Set($0.1)) } } }) {
            harness in
            for (number, token) in [("A-1", "own"), ("A-1", "other"), ("A-2", "own"), ("B-1", "other")] {
                let image = RawRequest.image(Specimen.jpeg(number + token), token: token, businessNumber: number)
                #expect(try await harness.send(image).status == 202)
            }
            func seen(by token: String, _ query: String = "") async throws -> [String] {
                var (seen, cursor) = ([String](), String?.none)
                repeat {
                    let path = "/v1/cases?limit=1" + query + (cursor.map { "&cursor=\($0)" } ?? "")
                    let answer = try await harness.send(RawRequest("GET", path, token: token))
                    seen += (answer.json["cases"] as? [[String: Any]] ?? []).map { one in
                        let facts = ["business_no", "state", "cause", "side", "message", "card_id"].map {
                            one[$0] as? String
                        }
                        #expect(facts[5] == nil || token == "auditor")
                        return facts.prefix(3).compactMap(\.self).joined(separator: " ")
                    }
                    cursor = answer.json["next_cursor"] as? String
                } while cursor != nil
                return seen
            }
            // Another's photo is no part of the case; the queue of reviewers has it.
            let all = ["A-1 in_progress", "A-2 in_progress", "B-1 in_progress"]
            let (audited, own) = (try await seen(by: "auditor"), try await seen(by: "own"))
            #expect(audited == all)
            #expect(own == ["A-1 in_progress", "A-2 in_progress"])
            let (decided, running) = (
                try await seen(by: "own", "&state=decide"), try await seen(by: "own", "&state=in_progress")
            )
            #expect(decided == [] && running == own)
        }
    }
}
