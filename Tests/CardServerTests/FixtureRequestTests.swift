import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardServer

/// A request that an earlier build answered, sent to this build over the sandbox of `fixtures/sandbox`.
@Suite struct FixtureRequestTests {
    private struct Expected: Decodable {
        struct Request: Decodable {
            let headers: [String: String], body: String, card: String
        }
        let request: Request
    }

    @Test func `the same request sent again gets the first answer`() async throws {
        let fixture = try FixtureSandbox()
        let first = try JSONDecoder().decode(Expected.self, from: fixture.expected).request
        let body = try FixtureSandbox.photo(first.body)
        try await ServerHarness.with(fixture: fixture) { harness in
            let headers = first.headers.map { ($0.key, $0.value) }
            let request = RawRequest("POST", "/v1/cards", token: "submitter", headers: headers, body: body)
            let answer = try await harness.send(request)
            #expect(answer.status == 202 && answer["idempotent-replayed"] == "true")
            #expect(answer.json["card_id"] as? String == first.card)
        }
    }
}
