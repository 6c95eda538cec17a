import CardModel
import Testing

@Suite struct VerdictSeverityTests {
    /// For every rule asked of one card, a reading that breaks this rule alone.
    private static let broken: [(rule: VerdictRule, reading: CardReading, expectation: CardMetadata)] = {
        var several = CardReading.front()
        several.others = [.back()]
        var abnormal = CardReading.front()
        abnormal.isAbnormal = true
        var unscored = CardReading.front()
        unscored.legality = nil
        var fake = CardReading.front()
        fake.legality = Legality(vendorScores: ["ID Photo": 0.1])
        func number(_ text: String?) -> CardReading {
            .front {
                $0.number = text
                $0.birthDate = nil
            }
        }
        let none = CardMetadata.holder()
        return [
            (.severalCards, several, none),
            (.sideMismatch, .front(), CardMetadata.holder(side: .back)),
            (.readingAbnormal, abnormal, none),
            (.legalityUnavailable, unscored, none),
            (.legalityLow, fake, none),
            (.numberMissing, number(nil), none),
            (.numberMalformed, number("1101"), none),
            (.unsupportedDocument, number("910124199001010211"), none),
            (.numberChecksum, number("110101199003070012"), none),
            (.numberRegion, number("000000199001010018"), none),
            (.numberBirthDate, number("110101202611220014"), none),
            (.birthDateMismatch, .front { $0.birthDate = "1990-03-08" }, none),
            (.genderMismatch, .front { $0.gender = "女" }, none),
            (.nameMissing, .front { $0.name = nil }, none),
            (.nameMasked, .front { $0.name = "王*明" }, none),
            (.ethnicityUnknown, .front { $0.ethnicity = "冯" }, none),
            (.underAge, number("11010120081122001X"), none),
            (.holderNumberMismatch, .front(), .holder("440524188001010014")),
            (.holderNameMismatch, .front(), .holder(name: "样本乙")),
            (.validityUnreadable, .back(nil), none),
            (.validityStartMissing, .back("-2036.11.21"), none),
            (.validityEndMissing, .back("2020.01.01-"), none),
            (.validityNotBegun, .back("2026.11.22-长期"), none),
            (.expired, .back("2010.01.01-2020.01.01"), none),
            (.expiresSoon, .back("2016.12.01-2026.12.01"), none),
            (.validitySpan, .back("2020.01.01-2050.01.01"), none),
            (.issuerUnusual, .back(issuer: nil), none),
        ]
    }()

    private static let pairRules: [VerdictRule] = [.issuedBeforeBirth, .spanForAge, .issuerElsewhere, .sidesIdentical]

    @Test func `Every rule is broken by a reading here, but those between two cards and of no card`() {
        let asked = Self.broken.map(\.rule) + Self.pairRules + [.cardNotRecognised]
        #expect(asked.count == VerdictRule.allCases.count)
        #expect(Set(asked) == Set(VerdictRule.allCases))
    }

    @Test func `Every rule refuses, holds, reports or is silent as configured, and by default as documented`() {
        for (rule, reading, expectation) in Self.broken {
            let age = rule == .underAge ? 18 : 0
            for severity in VerdictSeverity.allCases + [nil] {
                let rules = VerdictRules(severities: severity.map { [rule: $0] } ?? [:], minimumAge: age)
                let judgement = rules.judge(reading, expecting: expectation, today: .today)
                // What cannot be set for a rule is not: nobody passes what a rule must refuse.
                let isPossible = severity.map(rule.possibleSeverities.contains) ?? true
                let effective = isPossible ? severity ?? rule.defaultSeverity : rule.defaultSeverity
                let isSilent = effective == .off || effective == .accept
                #expect(judgement.codes == (isSilent ? [] : [rule.rawValue]), "\(rule) \(effective)")
                switch judgement.verdict {
                case .accepted: #expect(effective == .warn || isSilent, "\(rule)")
                case .held: #expect(effective == .hold, "\(rule)")
                case .rejected: #expect(effective == .reject, "\(rule)")
                }
            }
        }
    }

    @Test func `Every message says something to do, and nothing of the person`() {
        let secrets = ["1101", "9101", "1990", "0307", "4405", "样本", "2020", "2016", "2050", "女", "冯"]
        for (rule, reading, expectation) in Self.broken {
            let rules = VerdictRules(severities: [rule: .reject], minimumAge: 18)
            let message = rules.judge(reading, expecting: expectation, today: .today).decision?.message.text() ?? ""
            #expect(message.contains(";"), "\(rule): \(message)")
            for secret in secrets { #expect(!message.contains(secret), "\(rule): \(message)") }
        }
    }

    @Test func `The first that refuses decides, else the first that holds; what only warns is kept in order`() {
        let reading = CardReading.front {
            $0.number = "110101199003070012"
            $0.name = nil
            $0.ethnicity = "冯"
        }
        func judge(_ severities: [VerdictRule: VerdictSeverity]) -> Judgement {
            VerdictRules(severities: severities).judge(reading, today: .today)
        }
        #expect(judge([:]).codes == ["id_number_checksum", "ethnicity_unknown"])
        #expect(judge([.numberChecksum: .hold]).codes == ["name_missing", "ethnicity_unknown"])
        let held = judge([.numberChecksum: .hold, .nameMissing: .hold])
        #expect(held.codes == ["id_number_checksum", "ethnicity_unknown"])
        #expect(held.decision?.severity == .hold)
        let warned = judge([.numberChecksum: .warn, .nameMissing: .warn])
        #expect(warned.verdict == .accepted)
        #expect(warned.codes == ["id_number_checksum", "name_missing", "ethnicity_unknown"])
    }

    @Test func `Every rule may refuse by default or better, and its default is possible`() {
        for rule in VerdictRule.allCases {
            #expect(rule.possibleSeverities.contains(rule.defaultSeverity))
            #expect(rule.possibleSeverities.contains(.reject))
        }
    }
}
