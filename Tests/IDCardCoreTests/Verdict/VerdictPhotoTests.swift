import IDCardCore
import Testing

@Suite("The verdict over a photo: card, side, legality")
struct VerdictPhotoTests {
    @Test("A good front and a good back are accepted without a word, whatever side was or was not named")
    func accepts() {
        for side in CardSide.allCases {
            let reading: CardReading = side == .front ? .front() : .back()
            for expectation in [CardExpectation(), CardExpectation(side: side)] {
                let judgement = VerdictRules().judge(reading, expecting: expectation, today: .today)
                #expect(judgement == Judgement(.accepted))
            }
        }
    }

    @Test("A photo without a card is refused for that alone")
    func notRecognised() {
        let nothing = CardReading(side: nil, legality: nil, isAbnormal: true)
        #expect(VerdictRules().codes(nothing, expecting: CardExpectation(side: .front)) == ["card_not_recognised"])
    }

    @Test("A photo without a card never passes, whatever is configured", arguments: VerdictSeverity.allCases)
    func neverPasses(severity: VerdictSeverity) {
        let rules = VerdictRules(severities: [.cardNotRecognised: severity])
        let verdict = rules.judge(CardReading(side: nil), today: .today).verdict
        switch verdict {
        case .accepted: Issue.record("a photo without a card passed")
        case .held(let reason, _): #expect(reason == .sideMissing && severity == .hold)
        case .rejected(let reason, _): #expect(reason == .sideMissing && severity != .hold)
        }
    }

    @Test("The other side than expected is refused", arguments: CardSide.allCases)
    func sideMismatch(side: CardSide) {
        let reading: CardReading = side == .front ? .back() : .front()
        #expect(VerdictRules().codes(reading, expecting: CardExpectation(side: side)) == ["side_mismatch"])
    }

    @Test("Of several cards the one that alone shows the expected side is judged")
    func severalCards() {
        var photo = CardReading.back("2000.01.01-2010.01.01")
        photo.others = [.front()]
        #expect(VerdictRules().codes(photo, expecting: CardExpectation(side: .front)) == [])
        #expect(VerdictRules().codes(photo, expecting: CardExpectation(side: .back)) == ["expired"])
        #expect(VerdictRules().codes(photo) == ["several_cards"])
        photo.others = [.front(), .front()]
        #expect(VerdictRules().codes(photo, expecting: CardExpectation(side: .front)) == ["several_cards"])
        photo.others = [.back()]
        #expect(VerdictRules().codes(photo, expecting: CardExpectation(side: .front)) == ["several_cards"])
        photo.side = nil
        #expect(VerdictRules().codes(photo) == ["several_cards"])
    }

    @Test("What a service calls abnormal is refused, unless a rule knows better why")
    func abnormal() {
        var reading = CardReading.front()
        reading.isAbnormal = true
        #expect(VerdictRules().codes(reading) == ["reading_abnormal"])
        reading.fields.number = nil
        #expect(VerdictRules().codes(reading) == ["id_number_missing"])
    }

    @Test(
        "The threshold is inclusive, and the vendor's own comes first",
        arguments: [
            (["ID Photo": 0.8], 0.8, []),
            (["ID Photo": 0.799], 0.8, ["legality_low"]),
            (["ID Photo": 0.502, "Screen": 0.496], 0.5, []),
            (["ID_Photo": 0.85, "ID_Photo_Threshold": 0.9], 0.8, ["legality_low"]),
            (["ID_Photo": 0.75, "ID_Photo_Threshold": 0.7], 0.8, []),
            (["ID_Photo": 0.7, "ID_Photo_Threshold": 0.7], 0.8, []),
            (["ID_Photo": 0.2, "ID_Photo_Threshold": 0], 0.8, ["legality_low"]),
            (["Temporary ID Photo ": 0.99], 0.8, ["legality_low"]),
            (["Some New Class": 0.99], 0.8, ["legality_low"]),
        ] as [([String: Double], Double, [String])]
    )
    func threshold(scores: [String: Double], configured: Double, codes: [String]) {
        var reading = CardReading.back()
        reading.legality = Legality(vendorScores: scores)
        #expect(VerdictRules(legalityThreshold: configured).codes(reading) == codes)
    }

    @Test("The message about a low score names score, threshold and the strongest other class")
    func legalityMessage() throws {
        var reading = CardReading.front()
        reading.legality = Legality(vendorScores: ["ID Photo": 0.3, "Screen": 0.3, "Photocopy": 0.4])
        let message = try #require(VerdictRules().judge(reading, today: .today).decision).message
        for word in ["0.3", "0.8", "Photocopy"] { #expect(message.contains(word)) }
    }

    @Test("A class with an odd name refuses a card, and its name is not in the message")
    func oddClass() throws {
        var reading = CardReading.front()
        reading.legality = Legality(vendorScores: ["ID Photo": 0.3, "\u{1B}[2J张样本": 0.7])
        let decision = try #require(VerdictRules().judge(reading, today: .today).decision)
        #expect(decision.reason.rawValue == "legality_low")
        #expect(decision.message.contains("strongest other class: other;"))
        #expect(decision.message.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 })
    }

    @Test("A back without scores, as the vendor's samples of it are, is held by default and passes only by policy")
    func backWithoutScores() {
        var reading = CardReading.back()
        reading.legality = nil
        #expect(VerdictRules().judge(reading, today: .today).decision?.severity == .hold)
        #expect(VerdictRules().codes(reading) == ["legality_unavailable"])
        #expect(VerdictRules(legalityUnavailable: .accept).judge(reading, today: .today) == Judgement(.accepted))
    }

    @Test(
        "A missing legality follows its policy",
        arguments: [
            (LegalityPolicy.accept, []), (.hold, ["legality_unavailable"]), (.reject, ["legality_unavailable"]),
        ] as [(LegalityPolicy, [String])]
    )
    func legalityUnavailable(policy: LegalityPolicy, codes: [String]) {
        var reading = CardReading.front()
        reading.legality = nil
        let judgement = VerdictRules(legalityUnavailable: policy).judge(reading, today: .today)
        #expect(judgement.codes == codes)
        switch judgement.verdict {
        case .accepted: #expect(policy == .accept)
        case .held: #expect(policy == .hold)
        case .rejected: #expect(policy == .reject)
        }
    }
}
