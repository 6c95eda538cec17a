import CardModel
import Testing

/// What is taken as a business number from a sender, and what is read from a sandbox.
@Suite struct BusinessNumberTests {
    /// The id of what is said about a text that is refused.
    private func violation(_ text: String) -> String? {
        if case .failure(let why) = BusinessNumber.parse(text) { why.id } else { nil }
    }

    @Test(arguments: [
        "11010519491231002X", "11010519491231002x", "LOAN-11010519491231002X", "11010519491231002X-01",
        "9911010519491231002X7", "110105 19491231 002X", "１１０１０５１９４９１２３１００２Ｘ", "贷款11010519491231002X",
        "810000199408230021",
    ])
    func `A number with an identity number inside is refused`(text: String) {
        #expect(self.violation(text) == "business_number.holds_identity_number")
    }

    @Test(arguments: [
        "110105194912310021", "LOAN-110105194912310021", "000105194912310024", "110105194913310021",
        "20260115103000123456", "123456789012345678901234567890", "1101051949123100", "12E34", "#1", "2026.11",
        "NANA-1",
    ])
    func `What only looks like an identity number or a spreadsheet's remains is taken`(text: String) {
        #expect(BusinessNumber(text)?.rawValue == text)
    }

    @Test(arguments: [
        "a\u{7}b", "a\nb", "a\u{85}b", "LOAN\u{200B}-1", "\u{FEFF}LOAN-1", "LOAN-1\u{202E}", "LO\u{AD}AN", "a\u{2028}b",
        "a\u{2060}b", "a\u{E0041}b", "LOAN-1\u{F028}", "LOAN\u{E000}1", "L\u{F0000}1",
    ])
    func `Control, format and private-use characters, and separators of lines, are refused`(text: String) {
        #expect(self.violation(text) == "business_number.invisible")
    }

    @Test func `A number has at most 64 code points, whatever a person would count as a character`() {
        #expect(BusinessNumber(String(repeating: "申", count: 64)) != nil)
        #expect(self.violation(String(repeating: "申", count: 65)) == "business_number.too_long")
        // One character for a person, 200 bytes.
        let tall = "e" + String(repeating: "\u{301}", count: 100)
        #expect(tall.count == 1)
        #expect(self.violation(tall) == "business_number.too_long")
        #expect(self.violation(String(repeating: tall, count: 64)) == "business_number.too_long")
    }

    @Test(arguments: [
        "1.23457E+15", "11010519491231002X", "LOAN\u{200B}-1", "e" + String(repeating: "\u{301}", count: 100),
    ])
    func `What stands in a sandbox is read, whatever is refused today`(text: String) {
        #expect(BusinessNumber(text) == nil)
        #expect(BusinessNumber(stored: text).rawValue == text)
    }
}
