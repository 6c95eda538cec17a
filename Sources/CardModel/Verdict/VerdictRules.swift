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
    ///   - metadata: what the sender says the photo should show, if anything.
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
    ///   - front: what was read of the front; a number that is none is not compared.
    ///   - back: what was read of the back; a validity that is none is not compared.
    ///   - identicalImages: whether the two photos are byte for byte the same.
    /// - Returns: the rules that do not hold; both cards share them.
    package func judgePair(
        front: CardReading,
        back: CardReading,
        identicalImages: Bool = false
    ) -> [VerdictFinding] {
        let identical = identicalImages ? self.finding(.sidesIdentical, .verdictSidesIdentical) : nil
        let issue = self.issueFinding(back.selecting(.back).fields, of: front.selecting(.front).fields)
        return [identical, issue].compactMap(\.self)
    }

    /// Asks whether the back can have been issued to the holder of the front; silent where either does not say.
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

    /// What follows where a rule does not hold; `nil` if it is not asked.
    func finding(_ rule: VerdictRule, _ message: Message) -> VerdictFinding? {
        let configured = self.severities[rule].flatMap { rule.possibleSeverities.contains($0) ? $0 : nil }
        let severity = configured ?? rule.defaultSeverity
        return [.off, .accept].contains(severity) ? nil : VerdictFinding(rule.reason, severity, message: message)
    }
}

extension Validity {
    /// Whether the span is the one the Law on Resident Identity Cards, article 5, gives at an age: 5 years below 16,
    /// 10 up to 25, 20 up to 45, then 长期; a missing end is not held against it.
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
