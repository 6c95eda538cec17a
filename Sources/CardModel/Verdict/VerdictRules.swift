/// The rules a reading must pass before its card is delivered; pure, so that every provider is judged alike.
///
/// Every rule is asked, also when an earlier one fails: what a failing rule leads to is its severity. The first
/// finding that rejects decides, so the rules are asked in the order in which a person can act on them: which card and
/// side, is it an original, what is its number, whose is it, does it agree with itself, is it valid.
package struct VerdictRules: Hashable, Sendable {
    /// The least genuineness score that passes, 0…1, unless the vendor's reply carries its own threshold
    /// (`verification.legality_threshold`).
    package var legalityThreshold: Double
    /// What follows when a rule does not hold, where it is not the rule's default (`verdict.severity.*`).
    package var severities: [VerdictRule: VerdictSeverity]
    /// The least age of a holder in completed years (`verdict.min_age`); 0 does not ask.
    package var minimumAge: Int

    package init(
        legalityThreshold: Double = 0.8,
        severities: [VerdictRule: VerdictSeverity] = [:],
        minimumAge: Int = 0
    ) {
        self.legalityThreshold = legalityThreshold
        self.severities = severities
        self.minimumAge = minimumAge
    }

    /// Judges a reading.
    ///
    /// Of several cards in the photo the one that alone shows the expected side is judged
    /// (`CardReading.selecting(_:)`).
    ///
    /// - Parameters:
    ///   - expectation: what the sender says the photo should show.
    ///   - today: the day of the judgement in China.
    package func judge(
        _ reading: CardReading,
        expecting expectation: CardExpectation = CardExpectation(),
        today: CalendarDay
    ) -> Judgement {
        let card = reading.selecting(expectation.side)
        var findings = FindingList(severities: self.severities)
        self.askCount(of: card, expected: expectation.side, into: &findings)
        guard let side = card.side else {
            findings.note(.cardNotRecognised, .verdictCardNotRecognised)
            return Judgement(findings.all)
        }
        self.askSide(side, expected: expectation.side, into: &findings)
        self.askLegality(of: card, into: &findings)
        switch side {
        case .front: self.askFront(card.fields, expecting: expectation, today: today, into: &findings)
        case .back: self.askBack(card.fields, today: today, into: &findings)
        }
        self.askAbnormality(of: card, into: &findings)
        return Judgement(findings.all)
    }

    /// Compares the two sides of one business number.
    ///
    /// - Parameters:
    ///   - front: what was read of the front; a number that is none is not compared.
    ///   - back: what was read of the back; a validity that is none is not compared.
    ///   - identicalImages: whether the two photos are byte for byte the same.
    /// - Returns: the rules that do not hold; both cards share them.
    package func judgePair(
        front: CardReading,
        back: CardReading,
        identicalImages: Bool = false
    ) -> [VerdictFinding] {
        var findings = FindingList(severities: self.severities)
        if identicalImages { findings.note(.sidesIdentical, .verdictSidesIdentical) }
        self.askIssue(of: back.selecting(.back).fields, to: front.selecting(.front).fields, into: &findings)
        return findings.all
    }
}

/// What the sender of a photo says it should show.
package struct CardExpectation: Hashable, Sendable {
    /// The side that was to be photographed.
    package var side: CardSide?
    /// The number the holder registered with.
    package var idNumber: Redacted<String>?
    /// The name the holder registered with.
    package var name: Redacted<String>?

    package init(side: CardSide? = nil, idNumber: Redacted<String>? = nil, name: Redacted<String>? = nil) {
        self.side = side
        self.idNumber = idNumber
        self.name = name
    }
}

extension CardMetadata {
    /// What the verdict compares a reading with.
    package var expectation: CardExpectation {
        CardExpectation(side: self.side, idNumber: self.expectedIDNumber, name: self.expectedName)
    }
}
