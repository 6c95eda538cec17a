import IDCardCore
import Testing

@Suite("The verdict over a reading")
struct VerdictRulesTests {
    private static let good = Legality(vendorScores: ["ID Photo": 0.9, "Photocopy": 0.1])

    private func front(number: String? = "110101199003070011", legality: Legality? = good) -> CardReading {
        CardReading(side: .front, fields: CardFields(name: "张三", number: number), legality: legality)
    }

    @Test("A good front and a good back are accepted")
    func accepts() {
        #expect(VerdictRules().judge(self.front(), expectedSide: nil) == .accepted)
        #expect(VerdictRules().judge(self.front(), expectedSide: .front) == .accepted)
        let back = CardReading(side: .back, legality: Self.good)
        #expect(VerdictRules().judge(back, expectedSide: nil) == .accepted)
    }

    @Test(
        "A reading that breaks a rule is rejected with the rule's code",
        arguments: [
            (CardReading(side: nil, legality: good), CardSide?.none, ReasonCode.sideMissing),
            (CardReading(side: .back, legality: good), .front, .sideMismatch),
            (CardReading(side: .front, legality: good), nil, .numberMissing),
            (CardReading(side: .front, fields: CardFields(number: ""), legality: good), nil, .numberMissing),
            (CardReading(side: .front, fields: CardFields(number: "1101"), legality: good), nil, .numberMalformed),
            (
                CardReading(side: .front, fields: CardFields(number: "110105194912310021"), legality: good), nil,
                .numberChecksum
            ),
            (
                CardReading(side: .front, fields: CardFields(number: "310101190002290123"), legality: good), nil,
                .numberBirthDate
            ),
            (
                CardReading(side: .front, fields: CardFields(number: "910124199001010211"), legality: good), nil,
                .unsupportedDocument
            ),
            (
                CardReading(
                    side: .back,
                    legality: Legality(vendorScores: ["ID Photo": 0.2, "Photocopy": 0.7, "Screen": 0.1])
                ), nil, .legalityLow
            ),
        ]
    )
    func rejects(reading: CardReading, expected: CardSide?, reason: ReasonCode) {
        guard case .rejected(let code, let message) = VerdictRules().judge(reading, expectedSide: expected) else {
            Issue.record("not rejected")
            return
        }
        #expect(code == reason)
        #expect(!message.isEmpty && !message.contains("1101") && !message.contains("3101"))
    }

    @Test("The threshold is inclusive, and the vendor's own comes first")
    func threshold() {
        let rules = VerdictRules(legalityThreshold: 0.8)
        let exact = Legality(vendorScores: ["ID Photo": 0.8])
        #expect(rules.judge(self.front(legality: exact), expectedSide: nil) == .accepted)
        let strict = Legality(vendorScores: ["ID_Photo": 0.85], vendorThreshold: 0.9)
        guard case .rejected(.legalityLow, _) = rules.judge(self.front(legality: strict), expectedSide: nil) else {
            Issue.record("the vendor's threshold was not used")
            return
        }
    }

    @Test("The message names the strongest other class")
    func namesStrongestOtherClass() {
        let legality = Legality(vendorScores: ["ID Photo": 0.3, "Screen": 0.3, "Photocopy": 0.4])
        guard case .rejected(_, let message) = VerdictRules().judge(self.front(legality: legality), expectedSide: nil)
        else {
            Issue.record("not rejected")
            return
        }
        #expect(message.contains("Photocopy"))
    }

    @Test("A missing legality follows the policy", arguments: LegalityPolicy.allCases)
    func legalityUnavailable(policy: LegalityPolicy) {
        let verdict = VerdictRules(legalityUnavailable: policy).judge(self.front(legality: nil), expectedSide: nil)
        switch (policy, verdict) {
        case (.accept, .accepted), (.hold, .held(.legalityUnavailable, _)),
            (.reject, .rejected(.legalityUnavailable, _)):
            break
        default: Issue.record("\(policy) gave \(verdict)")
        }
    }

    @Test("All zeros or no scores mean unavailable; keys are normalised; a temporary card is not genuine")
    func legalityNormalisation() {
        #expect(Legality(vendorScores: [:]) == nil)
        #expect(Legality(vendorScores: ["ID Photo": 0, "Screen": 0]) == nil)
        let legality = Legality(vendorScores: ["Temporary ID Photo ": 0.7, "ID_Photo": 0.25])
        #expect(legality?.scores == ["Temporary ID Photo": 0.7, "ID Photo": 0.25])
        #expect(legality?.genuineScore == 0.25)
        #expect(Legality(vendorScores: ["Temporary ID Photo": 0.9])?.genuineScore == 0)
    }
}
