import CardModel
import Testing

@Suite struct VerdictPhotoTests {
    @Test func `A good front and a good back are accepted without a finding, whatever side was or was not named`() {
        for side in CardSide.allCases {
            let reading: CardReading = side == .front ? .front() : .back()
            for expectation in [CardMetadata.holder(), CardMetadata.holder(side: side)] {
                let judgement = VerdictRules().judge(reading, expecting: expectation, today: .today)
                #expect(judgement == Judgement(.accepted))
            }
        }
    }

    @Test func `A photo without a card is refused for that alone`() {
        let nothing = CardReading(side: nil, legality: nil, isAbnormal: true)
        #expect(VerdictRules().codes(nothing, expecting: CardMetadata.holder(side: .front)) == ["card_not_recognised"])
    }

    @Test(arguments: VerdictSeverity.allCases)
    func `A photo without a card never passes, whatever is configured`(severity: VerdictSeverity) {
        let rules = VerdictRules(severities: [.cardNotRecognised: severity])
        let verdict = rules.judge(CardReading(side: nil), today: .today).verdict
        switch verdict {
        case .accepted: Issue.record("a photo without a card passed")
        case .held(let reason, _): #expect(reason == VerdictRule.cardNotRecognised.reason && severity == .hold)
        case .rejected(let reason, _): #expect(reason == VerdictRule.cardNotRecognised.reason && severity != .hold)
        }
    }

    @Test(arguments: CardSide.allCases)
    func `The other side than expected is refused`(side: CardSide) {
        let reading: CardReading = side == .front ? .back() : .front()
        #expect(VerdictRules().codes(reading, expecting: CardMetadata.holder(side: side)) == ["side_mismatch"])
    }

    @Test func `Of several cards the one that alone shows the expected side is judged`() {
        var photo = CardReading.back("2000.01.01-2010.01.01")
        photo.others = [.front()]
        #expect(VerdictRules().codes(photo, expecting: CardMetadata.holder(side: .front)) == [])
        #expect(VerdictRules().codes(photo, expecting: CardMetadata.holder(side: .back)) == ["expired"])
        #expect(VerdictRules().codes(photo) == ["several_cards"])
        photo.others = [.front(), .front()]
        #expect(VerdictRules().codes(photo, expecting: CardMetadata.holder(side: .front)) == ["several_cards"])
        photo.others = [.back()]
        #expect(VerdictRules().codes(photo, expecting: CardMetadata.holder(side: .front)) == ["several_cards"])
        photo.side = nil
        #expect(VerdictRules().codes(photo) == ["several_cards"])
    }

    @Test func `What a service calls abnormal is refused, unless a rule knows better why`() {
        var reading = CardReading.front()
        reading.isAbnormal = true
        #expect(VerdictRules().codes(reading) == ["reading_abnormal"])
        reading.fields.number = nil
        #expect(VerdictRules().codes(reading) == ["id_number_missing"])
    }

    @Test(arguments: [
        (["ID Photo": 0.8] as [String: Double], 0.8 as Double, [] as [String]),
        (["ID Photo": 0.799], 0.8, ["legality_low"]),
        (["ID Photo": 0.502, "Screen": 0.496], 0.5, []),
        (["ID_Photo": 0.85, "ID_Photo_Threshold": 0.9], 0.8, ["legality_low"]),
        (["ID_Photo": 0.75, "ID_Photo_Threshold": 0.7], 0.8, []),
        (["ID_Photo": 0.7, "ID_Photo_Threshold": 0.7], 0.8, []),
        (["ID_Photo": 0.2, "ID_Photo_Threshold": 0], 0.8, ["legality_low"]),
        (["Temporary ID Photo ": 0.99], 0.8, ["legality_low"]),
        (["Some New Class": 0.99], 0.8, ["legality_low"]),
    ])
    func `The threshold is inclusive, vendor's first`(scores: [String: Double], configured: Double, codes: [String]) {
        var reading = CardReading.back()
        reading.legality = Legality(vendorScores: scores)
        #expect(VerdictRules(legalityThreshold: configured).codes(reading) == codes)
    }

    @Test(arguments: [
        (["ID Photo": 0.3, "Screen": 0.3, "Photocopy": 0.4], "Photocopy"),
        (["ID Photo": 0.3, "\u{1B}[2J张样本": 0.7], "other"),
    ])
    func `The message about a low score names score, threshold and strongest other class, if it has a plain name`(
        scores: [String: Double],
        strongest: String
    ) throws {
        var reading = CardReading.front()
        reading.legality = Legality(vendorScores: scores)
        let decision = try #require(VerdictRules().judge(reading, today: .today).decision)
        #expect(decision.reason.rawValue == "legality_low")
        let message = decision.message.text()
        for word in ["0.3", "0.8", "the highest score of another class is: \(strongest);"] {
            #expect(message.contains(word))
        }
        #expect(message.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 })
    }

    @Test(arguments: CardSide.allCases)
    func `A photo without scores, as the vendor's backs are, is held and passes only by policy`(side: CardSide) {
        var reading: CardReading = side == .front ? .front() : .back()
        reading.legality = nil
        #expect(VerdictRules().codes(reading) == ["legality_unavailable"])
        let decision = VerdictRules().judge(reading, today: .today).decision
        #expect(decision?.severity == .hold)
        let words = decision?.message.text() ?? ""
        #expect(words.contains("verdict.severity.legality_unavailable") && words.contains("cards retry"), "\(words)")
        let lenient = VerdictRules(severities: [.legalityUnavailable: .off])
        #expect(lenient.judge(reading, today: .today) == Judgement(.accepted))
    }
}
