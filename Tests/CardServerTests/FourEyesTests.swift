import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardServer

/// Decisions that need two persons, over HTTP.
@Suite(.timeLimit(.minutes(5))) struct FourEyesTests {
    private static func problem(_ response: RawResponse) -> String? { response.json["detail"] as? String }

    private func with(_ body: (ServerHarness, _ own: String, _ foreign: String) async throws -> Void) async throws {
        try await ServerHarness.with(fourEyes: [.accept, .erase]) { harness in
            var ids: [String] = []
            for token in ["submitter", "all"] {
                let request = RawRequest.image(Specimen.jpeg(token), token: token)
                ids.append(try #require(try await harness.send(request).json["card_id"] as? String))
            }
            try await body(harness, ids[0], ids[1])
        }
    }

    @Test func `a resolution waits for a second name, and says so`() async throws {
        try await self.with { harness, _, foreign in
            let target = "/v1/cards/\(foreign)/resolve"
            func decide(_ token: String, _ word: String) async throws -> RawResponse {
                let response = try await harness.send(.json("POST", target, token: token, #"{"as":"\#(word)"}"#))
                OpenAPIShape.expect(response, of: .resolveCard)
                return response
            }
            for _ in 0..<2 {
                let first = try await decide("operator", "accept")
                #expect(first.status == 202 && first.json["waits_for"] as? String == "second_person")
                let cards = first.json["cards"] as? [[String: Any]]
                #expect(cards?.compactMap { $0["card_id"] as? String } == [foreign])
                #expect(cards?.first?["state"] as? String == "held")
            }
            let other = try await decide("all", "reject")
            #expect(other.problem == "409 change_refused")
            #expect(Self.problem(other)?.contains("operator decided accept about card \(foreign)") == true)
            // Who may do everything takes back what waits, too: the token of the first may be gone.
            #expect(try await decide("all", "withdraw").status == 200)
            #expect(try await decide("operator", "withdraw").problem == "409 change_refused")
            #expect(try await decide("all", "accept").status == 202)
            let second = try await decide("operator", "accept")
            #expect(second.status == 200 && second.json["waits_for"] == nil)
            #expect((second.json["cards"] as? [[String: Any]])?.first?["state"] as? String == "prepared")
        }
    }

    @Test func `an erasure waits for a second name, then answers with its certificate`() async throws {
        try await self.with { harness, own, _ in
            func erase(_ token: String) async throws -> RawResponse {
                let response = try await harness.send(RawRequest("DELETE", "/v1/cards/\(own)", token: token))
                OpenAPIShape.expect(response, of: .eraseCard)
                return response
            }
            #expect(try await erase("operator").status == 202)
            #expect(try await erase("operator").json["waits_for"] as? String == "second_person")
            let erased = try await erase("all")
            #expect(erased.status == 200 && erased.json["card_id"] as? String == own)
            #expect(try await erase("operator").text == erased.text)
        }
    }
}
