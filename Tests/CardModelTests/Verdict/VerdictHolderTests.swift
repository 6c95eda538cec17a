import Testing

@testable import CardModel

@Suite struct VerdictHolderTests {
    private func codes(
        number: String? = nil,
        name: String? = nil,
        rules: VerdictRules = VerdictRules(),
        change: (inout FrontText) -> Void = { _ in }
    ) -> [String] {
        let expectation = CardMetadata.holder(number, name: name)
        return rules.codes(.front(change: change), expecting: expectation)
    }

    @Test(arguments: [
        (nil as String?, [] as [String]),
        ("", []), (" ", []), ("110101199003070011", []), (" 110101 19900307 0011 ", []),
        ("１１０１０１１９９００３０７００１１", []), ("440524188001010014", ["holder_number_mismatch"]),
        ("11010119900307002X", ["holder_number_mismatch"]),
    ])
    func `The expected number is compared by what it says`(expected: String?, codes: [String]) {
        #expect(self.codes(number: expected) == codes)
    }

    @Test(arguments: ["110105491231002", "11010519491231002x"])
    func `An expected number of 15 digits is upgraded, an expected small x is one`(expected: String) {
        let codes = self.codes(number: expected) {
            $0.number = "11010519491231002X"
            $0.birthDate = nil
            $0.gender = nil
        }
        #expect(codes == [])
    }

    @Test(arguments: ["1101", "110101199003070012", "张三", "110105490229002"])
    func `A malformed expectation is nobody's number, and the message says so`(expected: String) throws {
        let expectation = CardMetadata.holder(expected)
        let judgement = VerdictRules().judge(.front(), expecting: expectation, today: .today)
        let decision = try #require(judgement.decision)
        #expect(decision.reason == VerdictRule.holderNumberMismatch.reason)
        #expect(decision.message.text().contains("expected identity number is malformed"))
        #expect(!decision.message.text().contains(expected))
    }

    @Test func `A number that cannot be read is not the expected one, even where it would pass`() {
        let lenient = VerdictRules(severities: [.numberMissing: .off, .numberChecksum: .off])
        #expect(self.codes(rules: lenient) { $0.number = nil } == [])
        #expect(
            self.codes(number: "110101199003070011", rules: lenient) { $0.number = nil } == ["holder_number_mismatch"]
        )
        #expect(
            self.codes(number: "110101199003070011", rules: lenient) { $0.number = "110101199003070012" }
                == ["holder_number_mismatch"]
        )
        #expect(self.codes(number: "110101199003070011") { $0.number = nil } == ["id_number_missing"])
    }

    @Test func `Where other documents pass, the number on one can be the expected one`() {
        let lenient = VerdictRules(severities: [.unsupportedDocument: .off])
        func codes(expecting expected: String) -> [String] {
            self.codes(number: expected, rules: lenient) { $0.number = "910124199001010211" }
        }
        #expect(codes(expecting: " 910124199001010211") == [])
        #expect(codes(expecting: "110101199003070011") == ["holder_number_mismatch"])
        #expect(codes(expecting: "810000199001010019") == ["holder_number_mismatch"])
        #expect(self.codes(number: "910124199001010211") == ["holder_number_mismatch"])
    }

    private static let names = [
        ("样本甲", "样 本 甲"), ("样本甲", "\u{3000}样本甲\n"), ("样本甲", "样本\u{200B}甲"), ("Anna Li", "ANNA LI"),
        ("Anna Li", "ａｎｎａｌｉ"), ("\u{2F08}本甲", "人本甲"), ("测\u{E863}", "测\u{4DAE}"), ("样本·甲乙", "样本 \u{B7} 甲乙"),
    ]
    private static let dots =
        "\u{B7}\u{387}\u{2D9}\u{16EB}\u{2022}\u{2024}\u{2027}\u{2218}\u{2219}\u{22C5}"
        + "\u{25CF}\u{2E31}\u{3002}\u{30FB}\u{A78F}\u{FE52}\u{FF0E}\u{FF61}\u{FF65}."

    @Test(arguments: names + dots.unicodeScalars.map { ("样本·甲乙", "样本\($0)甲乙") })
    func `White space, width, case, the code of a character and look-alikes of the dot change no name`(
        printed: String,
        expected: String
    ) {
        #expect(self.codes(name: expected) { $0.name = printed } == [])
        #expect(self.codes(name: printed) { $0.name = expected } == [])
    }

    @Test(arguments: [
        ("样本乙", ["holder_name_mismatch"]), ("样本", ["holder_name_mismatch"]), ("样本甲甲", ["holder_name_mismatch"]),
        ("样本·甲", ["holder_name_mismatch"]), ("", []), (" ", []),
    ])
    func `Another name is refused, one that was not read is not the expected one`(expected: String, codes: [String]) {
        #expect(self.codes(name: expected) == codes)
        let lenient = VerdictRules(severities: [.nameMissing: .off])
        #expect(self.codes(name: "样本甲", rules: lenient) { $0.name = nil } == ["holder_name_mismatch"])
    }

    @Test func `A back carries neither name nor number, and is not asked for them`() {
        let expectation = CardMetadata.holder("440524188001010014", name: "样本乙")
        #expect(VerdictRules().codes(.back(), expecting: expectation) == [])
    }

    @Test func `Of everything wrong with a stranger's card, the person learns that it is a stranger's`() {
        let expectation = CardMetadata.holder("440524188001010014", name: "样本乙", side: .front)
        let reading = CardReading.front {
            $0.name = nil
            $0.gender = "女"
            $0.birthDate = "1999-09-09"
        }
        #expect(VerdictRules(minimumAge: 99).codes(reading, expecting: expectation) == ["holder_number_mismatch"])
    }
}
