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

    @Test(arguments: [
        ("江苏省南京市鼓楼区北京西路1号" as String?, "西安市公安局雁塔分局" as String?, true),
        ("江苏省南京市鼓楼区北京西路1号", "南京市公安局鼓楼分局", false),
        ("陕西省西安市 雁塔区1号", "西 安市公安局雁塔分局", false),
        // One place of several suffices; what was a county may be a district now.
        ("北京市密云区1号", "密云县公安局", false), ("内蒙古呼和浩特市1号", "内蒙古自治区呼和浩特市公安局", false),
        // A name that itself ends like a kind of place.
        ("浙江省杭州市西湖区1号", "杭州市公安局西湖分局", false), ("浙江省杭州市西湖区1号", "苏州市公安局", true),
        ("湖北省公安县1号", "公安县公安局", false), ("江苏省南京市1号", "公安县公安局", true),
        ("江西省赣州市赣县区1号", "赣县公安局", false),
        // Without a place, or one that is no more than a character, and what was not read.
        ("江苏省南京市1号", "郑州铁路公安局", false), ("江苏省南京市1号", "大兴安岭林业公安局", false),
        ("江苏省南京市1号", "和县公安局", false), ("江苏省南京市1号", "西安市", false), ("江苏省南京市1号", "", false),
        ("江苏省南京市1号", nil, false), ("", "西安市公安局", false), (nil, "西安市公安局", false),
    ])
    func `An issuer of which no place stands in the address is reported`(address: String?, issuer: String?, found: Bool)
    {
        let front = CardReading.front { $0.address = address }
        #expect(self.codes(front: front, back: .back(issuer: issuer)) == (found ? ["issuer_elsewhere"] : []))
    }

    @Test func `Another place and another time of issue are two findings, of which the one that holds decides`() {
        let front = CardReading.front { $0.address = "江苏省南京市1号" }
        let rules = VerdictRules(severities: [.issuerElsewhere: .hold])
        let findings = rules.judgePair(front: front, back: .back("1980.01.01-长期", issuer: "西安市公安局"))
        #expect(
            findings.map { "\($0.severity) \($0.reason)" } == ["warn issued_before_birth", "hold issuer_elsewhere"]
        )
        #expect(Judgement(findings).decision?.reason == VerdictRule.issuerElsewhere.reason)
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
