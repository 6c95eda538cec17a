import Foundation
import IDCardCore
import Testing

@Suite("Vocabulary")
struct VocabularyTests {
    @Test("The states are the closed set of the design")
    func states() {
        #expect(
            CardState.allCases.map(\.rawValue) == [
                "fetching", "received", "prepared", "verified", "delivering", "delivered", "rejected", "failed", "held",
                "superseded", "erased",
            ]
        )
    }

    @Test("A redacted value shows nothing by any way of printing, and survives coding")
    func redaction() throws {
        let secret = Redacted("canary-7f3a")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(describing: secret), String(reflecting: secret), dumped] {
            #expect(!text.contains("canary"))
        }
        let fields = CardFields(name: "canary-name", number: "canary-number")
        var dumpedFields = ""
        dump(fields, to: &dumpedFields)
        #expect(!dumpedFields.contains("canary") && !"\(fields)".contains("canary"))
        let decoded = try JSONDecoder().decode(CardFields.self, from: JSONEncoder().encode(fields))
        #expect(decoded == fields && decoded.name?.reveal() == "canary-name")
    }

    @Test("Ids are version 7 UUIDs and sort by time")
    func cardIDs() throws {
        // Boxed: a type without storage has no address, which the thread sanitizer would follow all the same.
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        let first = CardID.generate(at: Timestamp(millisecondsSinceEpoch: 1_700_000_000_000), using: &random)
        let later = CardID.generate(at: Timestamp(millisecondsSinceEpoch: 1_700_000_000_001), using: &random)
        #expect(first.rawValue < later.rawValue)
        let uuid = try #require(UUID(uuidString: first.rawValue))
        #expect(uuid.uuid.6 >> 4 == 7)
        #expect(uuid.uuid.8 >> 6 == 0b10)
        let key = try #require(UUID(uuidString: UUIDText.version4(using: &random)))
        #expect(key.uuid.6 >> 4 == 4)
        #expect(key.uuid.8 >> 6 == 0b10)
    }

    @Test("Backoff is capped before the jitter and never exceeds its bound")
    func backoff() {
        let policy = RetryPolicy(base: .seconds(1), cap: .seconds(60))
        let bounds = (1...9).map { policy.bound(afterAttempt: $0) }
        #expect(bounds == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { Duration.seconds($0) })
        #expect(policy.bound(afterAttempt: 10_000) == .seconds(60))
        // Boxed: a type without storage has no address, which the thread sanitizer would follow all the same.
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        let delays = (0..<500).map { _ in policy.delay(afterAttempt: 4, using: &random) }
        #expect(delays.allSatisfy { $0 >= .zero && $0 <= .seconds(8) })
        #expect(Set(delays).count > 100, "without jitter")
    }

    @Test("A business number is trimmed, bounded and free of control characters")
    func businessNumbers() {
        #expect(BusinessNumber("  LOAN-1 \n")?.rawValue == "LOAN-1")
        #expect(BusinessNumber("申请 7")?.rawValue == "申请 7")
        #expect(BusinessNumber("") == nil)
        #expect(BusinessNumber(" \t ") == nil)
        #expect(BusinessNumber("a\u{0}b") == nil)
        #expect(BusinessNumber("a\r\nb") == nil)
        #expect(BusinessNumber(String(repeating: "x", count: 64)) != nil)
        #expect(BusinessNumber(String(repeating: "x", count: 65)) == nil)
    }

    @Test(
        "The digest is SHA-256",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ]
    )
    func digest(text: String, expected: String) {
        #expect(ContentDigest(of: Data(text.utf8)).hexadecimal == expected)
    }

    @Test("Only days of the calendar are days")
    func days() {
        #expect(CalendarDay(year: 2000, month: 2, day: 29) != nil)
        #expect(CalendarDay(year: 1900, month: 2, day: 29) == nil)
        #expect(CalendarDay(year: 2023, month: 2, day: 30) == nil)
        #expect(CalendarDay(year: 2023, month: 13, day: 1) == nil)
        #expect(CalendarDay(year: 2023, month: 4, day: 31) == nil)
        #expect(CalendarDay(year: 2023, month: 12, day: 0) == nil)
    }
}
