import Foundation
import IDCardCore
import Testing

@testable import IDCardServer

/// Texts of header fields, Base64 in pieces, and the memory that they may take.
struct TextTests {
    @Test(
        "Header texts are percent-encoded UTF-8",
        arguments: [
            ("plain", "plain"), ("a b", "a b"), ("a+b", "a+b"), ("%E6%A0%B7", "样"), ("%e6%a0%b7", "样"),
            ("UTF-8''%E6%A0%B7", "样"), ("utf-8''x", "x"), ("50%25", "50%"), ("", ""), ("%", nil), ("%4", nil),
            ("%GG", nil), ("%FF", nil), ("样", nil), ("a\u{7}", nil), ("%00", "\u{0}"),
        ] as [(String, String?)]
    )
    func header(value: String, text: String?) {
        #expect(HeaderText.decode(value) == text)
    }

    @Test(
        "Base64 comes back as it went, at every length around a piece",
        arguments: [0, 1, 2, 3, 49_151, 49_152, 49_153, 98_304, 100_000]
    )
    func base64(count: Int) async throws {
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        var decoded = Data()
        try await Base64Pieces.decode(bytes.base64EncodedString()) { decoded.append($0) }
        #expect(decoded == bytes)
    }

    @Test(
        "Padding within Base64, blanks and other letters are refused",
        arguments: ["AA==AAAA", "AAA A", "AA\nAA", "AA-_", "A"]
    )
    func badBase64(text: String) async throws {
        let padding = String(repeating: "AAAA", count: 16_384)
        for candidate in [text, padding + text] {
            await #expect(throws: Problem.self) { try await Base64Pieces.decode(candidate) { _ in } }
        }
    }

    @Test("Bytes that were given back can be had again")
    func budget() {
        let budget = ByteBudget(limit: 10)
        let claims = [budget.claim(), budget.claim(of: "a")]
        #expect(claims[0].take(6))
        #expect(!claims[1].take(5))
        #expect(claims[1].take(4))
        #expect(budget.usedBytes == 10)
        for claim in claims + claims { claim.giveBack() }
        #expect(budget.usedBytes == 0)
        #expect(claims[1].take(10))
    }

    @Test("Nobody has more of the bytes than a share, however many claims it makes")
    func share() {
        let budget = ByteBudget(limit: 10, share: 6)
        let claims = [budget.claim(of: "a"), budget.claim(of: "a"), budget.claim(of: "b")]
        #expect(claims[0].take(4))
        #expect(!claims[1].take(3))
        #expect(claims[1].take(2))
        #expect(budget.usedBytes(of: "a") == 6)
        #expect(!claims[2].take(5))
        #expect(claims[2].take(4))
        claims[0].giveBack()
        #expect(budget.usedBytes(of: "a") == 2)
        #expect(claims[1].take(4))
    }

    @Test("Places in a list survive their cursors", arguments: [0, 1, 999_999_999_999_999_999] as [Int64])
    func cursor(place: Int64) {
        #expect(CardCursor.intakeOrder(CardCursor.text(after: place)) == place)
    }

    @Test("Digests of submissions tell their fields apart")
    func digests() throws {
        var all: Set<String> = []
        for (user, name) in [(nil, nil), ("a", nil), (nil, "a"), ("a", "a"), ("aa", nil), ("", nil)]
            as [(String?, String?)]
        {
            var fields = SubmissionFields()
            try fields.set(.businessNumber, to: "C")
            var metadata = try fields.metadata()
            metadata.userNumber = user.map { .init($0) }
            metadata.expectedName = name.map { .init($0) }
            all.insert(RequestDigest.of(metadata, image: .init(of: Data())).hexadecimal)
        }
        #expect(all.count == 6)
    }
}
