/// The rules a reading must pass before its card is delivered; pure, so that every provider is judged alike.
///
/// Every rule is applied, also when an earlier one fails; its severity is the consequence of a failure. The first
/// finding that rejects decides, so the rules are applied in the order in which a person can act on them: which card
/// and side, is it an original, what is its number, whose is it, does it agree with itself, is it valid.
package struct VerdictRules: Hashable, Sendable {
    /// The minimum genuineness score that passes, 0…1, unless the vendor's reply carries its own threshold
    /// (`verification.legality_threshold`).
    package var legalityThreshold: Double
    /// The severities that differ from the rules' defaults (`verdict.severity.*`).
    package var severities: [VerdictRule: VerdictSeverity]
    /// The minimum age of a holder in completed years (`verdict.min_age`); 0 for no minimum.
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
    /// If the photo shows several cards, judges the only one with the expected side (`CardReading.selecting(_:)`).
    ///
    /// - Parameters:
    ///   - metadata: the submitter's expectation of the photo, if any.
    ///   - today: the day of the judgement in China.
    package func judge(
        _ reading: CardReading,
        expecting metadata: CardMetadata? = nil,
        today: CalendarDay
    ) -> Judgement {
        let card = reading.selecting(metadata?.side)
        var judge = CardJudge(rules: self, card: card, expected: metadata, today: today)
        judge.ask()
        return Judgement(judge.findings)
    }

    /// Compares the two sides of one business number.
    ///
    /// - Parameters:
    ///   - front: the reading of the front; an invalid number is not compared.
    ///   - back: the reading of the back; an invalid validity is not compared.
    ///   - identicalImages: whether the two photos are byte for byte the same.
    /// - Returns: the rules that do not hold; both cards share them.
    package func judgePair(front: CardReading, back: CardReading, identicalImages: Bool = false) -> [VerdictFinding] {
        let identical = identicalImages ? self.finding(.sidesIdentical, .verdictSidesIdentical) : nil
        let issue = self.issueFinding(back.selecting(.back).fields, of: front.selecting(.front).fields)
        return [identical, issue].compactMap(\.self)
    }

    /// Checks that the back can have been issued to the holder of the front; `nil` if either lacks the values.
    ///
    /// The links are indirect: a back carries neither name nor number.
    private func issueFinding(_ back: CardFields, of front: CardFields) -> VerdictFinding? {
        guard let number = front.number.flatMap({ try? IDNumber.parse($0.reveal()).get() }),
            let validity = back.validity.flatMap({ Validity($0.reveal()) }), let issued = validity.start
        else { return nil }
        guard issued >= number.birthDate else { return self.finding(.issuedBeforeBirth, .verdictIssuedBeforeBirth) }
        let age = number.birthDate.age(on: issued)
        return validity.hasSpan(forAge: age) ? nil : self.finding(.spanForAge, .verdictSpanForAge)
    }

    /// Returns the finding of a rule that does not hold; `nil` if the rule is off.
    func finding(_ rule: VerdictRule, _ message: Message) -> VerdictFinding? {
        let configured = self.severities[rule].flatMap { rule.possibleSeverities.contains($0) ? $0 : nil }
        let severity = configured ?? rule.defaultSeverity
        return [.off, .accept].contains(severity) ? nil : VerdictFinding(rule.reason, severity, message: message)
    }
}

extension Validity {
    /// Whether the span is the one the Law on Resident Identity Cards, article 5, gives at an age: 5 years below 16,
    /// 10 up to 25, 20 up to 45, then 长期; a missing end passes.
    fileprivate func hasSpan(forAge age: Int) -> Bool {
        switch (self.end, age) {
        case (.missing, _): true
        case (.longTerm, _): age >= 46
        case (.day, ..<16): self.wholeYears == 5
        case (.day, 16...25): self.wholeYears == 10
        case (.day, 26...45): self.wholeYears == 20
        case (.day, _): false
        }
    }
}
