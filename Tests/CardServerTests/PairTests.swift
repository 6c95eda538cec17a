import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardServer

/// Front and back in one form, and what is known of images before the answer.
@Suite(.serving, .timeLimit(.minutes(5))) struct PairTests {
    private static func pair(
        front: Data = Specimen.jpeg("front"),
        back: Data = Specimen.jpeg("back"),
        number: String = "CASE-1",
        fields: [(String, String)] = [],
        token: String = "submitter",
        key: String? = nil
    ) -> RawRequest {
        let texts = ([("business_no", number)] + fields).map {
            (name: $0.0, filename: String?.none, bytes: Data($0.1.utf8))
        }
        let images = [(name: "back", filename: String?("b.jpg"), bytes: back), ("front", "f.jpg", front)]
        return .form(images + texts, token: token, headers: key.map { [("Idempotency-Key", $0)] } ?? [])
    }

    private static func ids(_ response: RawResponse) -> [String] {
        (response.json["cards"] as? [[String: Any]] ?? []).compactMap { $0["card_id"] as? String }
    }

    @Test func `both sides in one form are two cards, the front first, and one receipt`() async throws {
        let first = try await harness.send(Self.pair(fields: [("user_no", "U-1")], key: "k-1"))
        #expect(first.status == 202)
        let cards = try await harness.cards()
        #expect(cards.map(\.metadata.side) == [.front, .back])
        #expect(cards.allSatisfy { $0.metadata.userNumber?.reveal() == "U-1" && $0.state == .prepared })
        #expect(Self.ids(first) == cards.map(\.id.rawValue))
        let again = try await harness.send(Self.pair(fields: [("user_no", "U-1")], key: "k-1"))
        #expect(again["idempotent-replayed"] == "true" && again.body == first.body)
        let other = Self.pair(back: Specimen.jpeg("other"), fields: [("user_no", "U-1")], key: "k-1")
        #expect(try await harness.send(other).problem == "422 idempotency_key_reused")
        let single = RawRequest.image(
            Specimen.jpeg("front"),
            token: "submitter",
            headers: [("Idempotency-Key", "k-1"), ("Card-Side", "front"), ("Card-User-No", "U-1")]
        )
        #expect(try await harness.send(single).problem == "422 idempotency_key_reused")
        #expect(try await harness.cards().count == 2)
    }

    @Test(arguments: ["front", "back"])
    func `an image that cannot be used refuses both, is named, and leaves nothing`(part: String) async throws {
        let broken = Specimen.jpeg("broken")
        let request = part == "front" ? Self.pair(front: broken, key: "k-1") : Self.pair(back: broken, key: "k-1")
        let refused = try await harness.send(request)
        #expect(refused.problem == "422 image_truncated")
        #expect((refused.json["detail"] as? String)?.contains("The part \(part) cannot be used") == true)
        #expect(try await harness.cards().isEmpty)
        let name = "idcard_uploads_refused_total"
        let figure = harness.metrics.text.split(separator: "\n").first { $0.hasPrefix("\(name){") }
        #expect(figure == "\(name){reason=\"image_truncated\"} 1")
        // Neither its number nor its key is taken.
        #expect(try await harness.send(Self.pair(token: "all")).status == 202)
        #expect(try await harness.send(Self.pair(number: "CASE-2", key: "k-1")).status == 202)
        #expect(try await harness.cards().map(\.state) == [.prepared, .prepared, .prepared, .prepared])
    }

    @Test func `a single image that cannot be used is refused at once, in a form, bare and signed`() async throws {
        let broken = Specimen.jpeg("broken")
        let form = RawRequest.form(
            [("business_no", nil, Data("CASE-1".utf8)), ("image", "a.jpg", broken)],
            token: "submitter"
        )
        for request in [form, .image(broken, token: "submitter")] {
            #expect(try await harness.send(request).problem == "422 image_truncated")
        }
        #expect(try await harness.cards().isEmpty)
    }

    @Test func `one part may come alone, and says the side; image, side and another part beside it do not fit`()
        async throws
    {
        let number = (name: "business_no", filename: String?.none, bytes: Data("CASE-1".utf8))
        let back = (name: "back", filename: String?("b.jpg"), bytes: Specimen.jpeg("back"))
        let alone = try await harness.send(.form([number, back], token: "submitter"))
        #expect(alone.status == 202 && alone.json["card_id"] != nil)
        #expect(try await harness.cards().map(\.metadata.side) == [.back])
        let image = (name: "image", filename: String?("a.jpg"), bytes: Specimen.jpeg("front"))
        let side = (name: "side", filename: String?.none, bytes: Data("back".utf8))
        for (parts, problem) in [
            ([number, back, image], "422 field_invalid"), ([number, back, side], "422 field_invalid"),
            ([number, back, back], "422 field_duplicate"),
        ] {
            #expect(try await harness.send(.form(parts, token: "submitter")).problem == problem)
        }
        #expect(try await harness.cards().count == 1)
    }

    @Test(.working) func `a pair of which one card cannot change any more is refused as a whole, each time`()
        async throws
    {
        #expect(try await harness.send(.image(Specimen.jpeg("front"), token: "submitter")).status == 202)
        await harness.intake.ends.wait(for: 1)
        for _ in 0..<2 {
            let refused = try await harness.send(Self.pair(fields: [("user_no", "U-9")], key: "k-1"))
            #expect(refused.problem == "409 card_underway")
        }
        #expect(try await harness.cards().count == 1)
    }

    @Test func `the same photo as front and back is refused`() async throws {
        let same = Specimen.jpeg("front")
        #expect(try await harness.send(Self.pair(front: same, back: same)).problem == "422 field_invalid")
        #expect(try await harness.cards().isEmpty)
    }

    @Test func `bodies wait for room in memory`() async throws {
        try await ServerHarness.with({
            $0.imageBytes = 100_000
            $0.bodyMemory = 1
        }) { (harness) async throws in
            harness.intake.gate.close()
            try await withThrowingTaskGroup(of: Int.self) { tasks in
                // 400,000 bytes are there, and each takes 200,000 - 65,536 or a little more.
                for mark in 1...8 {
                    let front = Specimen.jpeg("front \(mark)", byteCount: 99_000)
                    let back = Specimen.jpeg("back \(mark)", byteCount: 99_000)
                    let request = Self.pair(front: front, back: back, number: "CASE-\(mark)")
                    tasks.addTask { try await harness.send(request).status }
                }
                await harness.intake.arrivals.wait(for: 2)
                harness.intake.gate.open()
                for try await status in tasks { #expect(status == 202) }
            }
        }
    }
}
