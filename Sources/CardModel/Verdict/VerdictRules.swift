/// The rules that a reading must pass before its card is delivered; the same for every verification service.
///
/// Every rule is applied, even after an earlier one failed; its severity says what follows if it does not hold. The first
/// finding that rejects decides, so the rules come in the order in which a person can act on them: card and side,
/// genuineness, number, holder, agreement of the fields, validity.
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
        judge.applyRules()
        return Judgement(judge.findings)
    }

    /// Compares the two sides of one business number.
    ///
    /// - Parameters:
    ///   - front: the reading of the front; a number that cannot be read is not compared.
    ///   - back: the reading of the back; a validity that cannot be read is not compared.
    ///   - identicalImages: whether the two photos are byte for byte the same.
    /// - Returns: the findings, which concern both cards.
    package func judgePair(front: CardReading, back: CardReading, identicalImages: Bool = false) -> [VerdictFinding] {
        let identical = identicalImages ? self.finding(.sidesIdentical, .verdictSidesIdentical) : nil
        let (printedBack, printedFront) = (back.selecting(.back).fields, front.selecting(.front).fields)
        let issue = self.issueFinding(printedBack, of: printedFront)
        return [identical, issue, self.issuerFinding(printedBack, of: printedFront)].compactMap(\.self)
    }

    /// Compares the dates of the back with the birth date on the front, because a back has neither name nor number.
    ///
    /// - Returns: the finding if the holder of the front cannot have been issued this back; `nil` if the dates agree, or one
    ///   of them was not read.
    private func issueFinding(_ back: CardFields, of front: CardFields) -> VerdictFinding? {
        guard let number = front.number.flatMap({ try? IDNumber.parse($0.reveal()).get() }),
            let validity = back.validity.flatMap({ Validity($0.reveal()) }), let issued = validity.start
        else { return nil }
        guard issued >= number.birthDate else { return self.finding(.issuedBeforeBirth, .verdictIssuedBeforeBirth) }
        let age = number.birthDate.age(on: issued)
        return validity.hasSpan(forAge: age) ? nil : self.finding(.spanForAge, .verdictSpanForAge)
    }

    /// Compares the places of the issuer on the back with the address on the front.
    ///
    /// - Returns: the finding if none stands in the address; `nil` if one does, the issuer names none, or one of them was not
    ///   read.
    private func issuerFinding(_ back: CardFields, of front: CardFields) -> VerdictFinding? {
        guard let issuer = back.issuer, let printed = front.address, !PrintedText.isBlank(printed) else { return nil }
        let places = PrintedText.placesOfIssuer(issuer.reveal())
        let address = PrintedText.folded(printed.reveal())
        guard !places.isEmpty, !places.contains(where: address.contains) else { return nil }
        return self.finding(.issuerElsewhere, .verdictIssuerElsewhere)
    }

    /// Returns the finding of a rule that does not hold; `nil` if the rule is off.
    func finding(_ rule: VerdictRule, _ message: Message) -> VerdictFinding? {
        let configured = self.severities[rule].flatMap { rule.possibleSeverities.contains($0) ? $0 : nil }
        let severity = configured ?? rule.defaultSeverity
        return [.off, .accept].contains(severity) ? nil : VerdictFinding(rule.reason, severity, message: message)
    }
}

extension PrintedText {
    /// Returns the places that an issuer names before 公安, each without its kind: a county may be a district by now. A name that
    /// itself ends like a kind (杭州 in 杭州市) is one place; a railway or a forest names none.
    fileprivate static func placesOfIssuer(_ raw: String) -> [String] {
        let issuer = self.folded(raw)
        guard let police = issuer.ranges(of: "公安").last else { return [] }
        return issuer[..<police.lowerBound].matches(of: /([^省市县区旗州盟]*[省市县区旗州盟]*)[省市县区旗州盟]/)
            .map { String($0.output.1) }.filter { $0.count >= 2 }
    }
}

extension Validity {
    /// Whether the span is the one that the Law on Resident Identity Cards, article 5, gives at an age: 5 years below 16,
    /// 10 up to 25, 20 up to 45, then 长期. A span whose end was not read passes.
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
