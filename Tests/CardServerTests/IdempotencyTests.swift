import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardServer

/// `Idempotency-Key`: the same request twice, another one, and one that is still under way.
@Suite(.serving, .timeLimit(.minutes(5))) struct IdempotencyTests {
    private static func request(
        _ key: String,
        image: String = "1",
        boundary: String = "b1",
        user: String = "U-1"
    ) -> RawRequest {
        let parts = [
            (name: "business_no", filename: String?.none, bytes: Data("CASE-1".utf8)),
            (name: "user_no", filename: nil, bytes: Data(user.utf8)),
            (name: "image", filename: "a.jpg", bytes: Specimen.jpeg(image)),
        ]
        return .form(parts, token: "submitter", boundary: boundary, headers: [("Idempotency-Key", key)])
    }

    @Test func `a repetition has the same answer, whatever its boundary, in quotes or bare`() async throws {
        let first = try await harness.send(Self.request("\"k-1\""))
        let second = try await harness.send(Self.request("k-1", boundary: "b2"))
        #expect(first.status == 202 && second.status == 202)
        #expect(second["idempotent-replayed"] == "true")
        #expect(second.body == first.body)
        #expect(try await harness.cards().count == 1)
    }

    @Test func `the same key for another image or other metadata is refused`() async throws {
        try await harness.send(Self.request("\"k-1\""))
        for other in [Self.request("\"k-1\"", image: "2"), Self.request("\"k-1\"", user: "U-2")] {
            #expect(try await harness.send(other).problem == "422 idempotency_key_reused")
        }
        #expect(try await harness.cards().count == 1)
    }

    @Test(.working) func `who was told yes is told yes again, who was told no is told no again`() async throws {
        // Its answer is lost, and the card goes its way.
        let first = try await harness.send(Self.request("k-1"))
        await harness.intake.ends.wait(for: 1)
        let retry = try await harness.send(Self.request("k-1"))
        #expect(retry.status == 202)
        #expect(retry.json["card_id"] as? String == first.json["card_id"] as? String)
        #expect(retry["idempotent-replayed"] == "true")
        #expect(retry.json["state"] as? String == "delivered")
        #expect(try await harness.send(Self.request("k-3", user: "U-3")).problem == "409 card_underway")
    }

    @Test func `while the first is under way a second is told to wait, and is answered afterwards`() async throws {
        harness.intake.gate.close()
        async let first = harness.send(Self.request("\"k-1\""))
        await harness.intake.arrivals.wait(for: 1)
        let second = try await harness.send(Self.request("\"k-1\""))
        #expect(second.problem == "409 idempotency_key_in_progress")
        #expect(second["retry-after"] == "1")
        harness.intake.gate.open()
        #expect(try await first.status == 202)
        #expect(try await harness.send(Self.request("\"k-1\"")).status == 202)
        #expect(try await harness.cards().count == 1)
    }

    @Test(arguments: [
        ("\"a b\"", "a b" as String?), ("\"a\\\"b\\\\c\"", "a\"b\\c"), ("8e03978e-40d5", "8e03978e-40d5"),
        ("\"\"", nil),
        ("", nil), ("\"a", nil), ("\"a\"b", nil), ("\"a\\n\"", nil), ("a b", nil), ("a,b", nil), ("\"é\"", nil),
        ("\"a\", \"b\"", nil),
    ])
    func `keys are strings in quotes or bare`(value: String, key: String?) {
        #expect(IdempotencyKey.parse(value) == key)
    }

    @Test(arguments: [true, false])
    func `a key has at most 255 characters`(isQuoted: Bool) {
        let quote = isQuoted ? "\"" : ""
        let longest = String(repeating: "k", count: 255)
        #expect(IdempotencyKey.parse(quote + longest + quote) == longest)
        #expect(IdempotencyKey.parse(quote + longest + "k" + quote) == nil)
    }
}
