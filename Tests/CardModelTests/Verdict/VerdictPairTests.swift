import CardModel
import Testing

@Suite struct VerdictPairTests {
    private func codes(front: CardReading = .front(), back: CardReading) -> [String] {
        VerdictRules().judgePair(front: front, back: back).map(\.reason.rawValue)
    }

    @Test(arguments: [
        // The day before the 16th birthday, and the birthday.
        ("2006.03.06-2011.03.06" as String?, [] as [String]),
        ("2006.03.07-2016.03.07", []), ("2006.03.07-2011.03.07", ["span_for_age"]),
        // Before the 26th birthday, and on it.
        ("2016.03.06-2026.03.06", []), ("2016.03.07-2036.03.07", []), ("2016.03.07-2026.03.07", ["span_for_age"]),
        // Before the 46th birthday, and on it.
        ("2036.03.06-2056.03.06", []), ("2036.03.07-长期", []), ("2036.03.07-2056.03.07", ["span_for_age"]),
        ("2036.03.07-2056.03.08", ["span_for_age"]), ("2020.01.01-长期", ["span_for_age"]),
        ("2020.01.01-2039.12.31", ["span_for_age"]),
        // Born the day of the issue, and a day later.
        ("1990.03.07-1995.03.07", []), ("1990.03.06-1995.03.06", ["issued_before_birth"]),
        // What was not read is not compared.
        ("2020.01.01-", []), ("长期", []), ("-2040.01.01", []), ("blurred", []), ("", []), (nil, []),
    ])
    func `The span is the law's for the age at issue, born 1990-03-07 (art. 5)`(validity: String?, codes: [String]) {
        #expect(self.codes(back: .back(validity)) == codes)
    }

    @Test(arguments: [nil, "", "110101199003070012"] as [String?])
    func `A front whose number is none is not compared`(number: String?) {
        let front = CardReading.front { $0.number = number }
        #expect(self.codes(front: front, back: .back("1980.01.01-长期")) == [])
    }

    @Test func `Of several cards in one photo the right sides are compared`() {
        var both = CardReading.back("1980.01.01-长期")
        both.others = [.front()]
        #expect(self.codes(front: both, back: both) == ["issued_before_birth"])
    }

    @Test func `One picture for both sides is refused before anything else, unless the severities say otherwise`() {
        func findings(_ rules: VerdictRules) -> [String] {
            rules.judgePair(front: .front(), back: .back("1980.01.01-长期"), identicalImages: true)
                .map { "\($0.severity) \($0.reason)" }
        }
        #expect(findings(VerdictRules()) == ["reject sides_identical", "warn issued_before_birth"])
        let rules = VerdictRules(severities: [.sidesIdentical: .off, .issuedBeforeBirth: .hold])
        #expect(findings(rules) == ["hold issued_before_birth"])
    }
}
