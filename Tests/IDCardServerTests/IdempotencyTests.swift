import Foundation
import IDCardCore
import IDCardTesting
import Testing

@testable import IDCardServer

/// `Idempotency-Key`: the same request twice, another one, and one that is still under way.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct IdempotencyTests {
    private static let token = ServerHarness.submit.reveal()

    private static func request(
        _ key: String,
        image: Int = 1,
        boundary: String = "b1",
        user: String = "U-1",
        token: String = token
    ) -> RawRequest {
        let parts = [
            (name: "business_no", filename: String?.none, bytes: Data("CASE-1".utf8)),
            (name: "user_no", filename: nil, bytes: Data(user.utf8)),
            (name: "image", filename: "a.jpg", bytes: Specimen.jpeg(image)),
        ]
        return .form(parts, token: token, boundary: boundary, headers: [("Idempotency-Key", key)])
    }

    @Test("A repetition has the same answer, whatever its boundary, in quotes or bare")
    func repeated() async throws {
        try await ServerHarness.with { (harness) async throws in
            let first = try await harness.send(Self.request("\"k-1\""))
            let second = try await harness.send(Self.request("k-1", boundary: "b2"))
            #expect(first.status == 202)
            #expect(second.status == 202)
            #expect(second["idempotent-replayed"] == "true")
            #expect(second.body == first.body)
            #expect(harness.intake.receptions.count == 1)
        }
    }

    @Test("The same key for another image or other metadata is refused")
    func reused() async throws {
        try await ServerHarness.with { (harness) async throws in
            try await harness.send(Self.request("\"k-1\""))
            let response = try await harness.send(Self.request("\"k-1\"", image: 2))
            #expect(response.status == 422)
            #expect(response.code == "idempotency_key_reused")
        }
    }

    @Test("Who was told yes is told yes again, whatever others have said since; who was told no is told no again")
    func correctedSince() async throws {
        try await ServerHarness.with { (harness) async throws in
            // Its answer is lost, and what it says is corrected by the next request.
            let first = try await harness.send(Self.request("k-1"))
            let id = try #require(first.json["card_id"] as? String)
            #expect(try await harness.send(Self.request("k-2", user: "U-2")).status == 202)
            try await harness.hold(CardID(rawValue: id))
            let retry = try await harness.send(Self.request("k-1"))
            #expect(retry.status == 202)
            #expect(retry.json["card_id"] as? String == id)
            #expect(retry["idempotent-replayed"] == "true")
            for _ in 1...2 {
                let late = try await harness.send(Self.request("k-3", user: "U-3"))
                #expect(late.status == 409)
                #expect(late.code == "card_underway")
            }
        }
    }

    @Test("Two callers may use the same key")
    func scoped() async throws {
        try await ServerHarness.with { (harness) async throws in
            try await harness.send(Self.request("\"k-1\""))
            let other = ServerHarness.all.reveal()
            let response = try await harness.send(Self.request("\"k-1\"", image: 2, token: other))
            #expect(response.status == 202)
        }
    }

    @Test("While the first is under way a second is told to wait, and is taken afterwards")
    func underway() async throws {
        try await ServerHarness.with { (harness) async throws in
            harness.intake.gate.close()
            async let first = harness.send(Self.request("\"k-1\""))
            await harness.intake.arrivals.wait(for: 1)
            let second = try await harness.send(Self.request("\"k-1\""))
            #expect(second.status == 409)
            #expect(second.code == "idempotency_key_in_progress")
            #expect(second["retry-after"] == "1")
            harness.intake.gate.open()
            #expect(try await first.status == 202)
            let third = try await harness.send(Self.request("\"k-1\""))
            #expect(third.status == 202)
        }
    }

    @Test(
        "Keys are strings in quotes or bare words",
        arguments: [
            ("\"a b\"", "a b"), ("\"a\\\"b\\\\c\"", "a\"b\\c"), ("8e03978e-40d5", "8e03978e-40d5"), ("\"\"", nil),
            ("", nil), ("\"a", nil), ("\"a\"b", nil), ("\"a\\n\"", nil), ("a b", nil), ("a,b", nil), ("\"é\"", nil),
            ("\"a\", \"b\"", nil),
        ] as [(String, String?)]
    )
    func parse(value: String, key: String?) {
        #expect(IdempotencyKey.parse(value) == key)
    }

    @Test("A key has at most 255 characters", arguments: [true, false])
    func length(isQuoted: Bool) {
        let quote = isQuoted ? "\"" : ""
        let longest = String(repeating: "k", count: 255)
        #expect(IdempotencyKey.parse(quote + longest + quote) == longest)
        #expect(IdempotencyKey.parse(quote + longest + "k" + quote) == nil)
    }
}
