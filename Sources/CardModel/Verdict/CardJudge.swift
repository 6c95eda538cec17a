/// Judges one card of a reading: applies every rule, and records the rules that do not hold.
struct CardJudge {
    let rules: VerdictRules
    let card: CardReading
    let expected: CardMetadata?
    let today: CalendarDay
    /// The findings, in the order of the rules.
    private(set) var findings: [VerdictFinding] = []

    /// Records that a rule does not hold, unless the rule is off.
    mutating func add(_ rule: VerdictRule, _ message: Message) {
        if let finding = self.rules.finding(rule, message) { self.findings.append(finding) }
    }

    /// Applies the rules in the order of ``VerdictRules``: an earlier finding decides before a later one.
    mutating func applyRules() {
        self.checkCount()
        guard let side = self.card.side else { return self.add(.cardNotRecognised, .verdictCardNotRecognised) }
        self.checkSide(side)
        self.checkLegality()
        switch side {
        case .front: self.checkFront(self.card.fields)
        case .back: self.checkBack(self.card.fields)
        }
        self.checkAbnormality()
    }

    // MARK: The photo

    private mutating func checkCount() {
        guard !self.card.isUnambiguous(for: self.expected?.side) else { return }
        let count = self.card.others.count + 1
        let message = self.expected?.side.map { Message.verdictSeveralCards(count, expected: $0) }
        self.add(.severalCards, message ?? .verdictSeveralCardsNoSide(count))
    }

    private mutating func checkSide(_ side: CardSide) {
        guard let expected = self.expected?.side, side != expected else { return }
        self.add(.sideMismatch, .verdictSideMismatch(side, expected: expected))
    }

    /// Compares the score with the vendor's threshold, or with the configured one if the reply has none.
    private mutating func checkLegality() {
        guard let legality = self.card.legality else {
            return self.add(.legalityUnavailable, .verdictLegalityUnavailable)
        }
        let threshold = legality.vendorThreshold ?? self.rules.legalityThreshold
        guard legality.genuineScore < threshold else { return }
        self.add(.legalityLow, .verdictLegalityLow(legality, threshold))
    }

    /// Comes last: the service does not say what is abnormal, so a more specific finding should decide.
    private mutating func checkAbnormality() {
        guard self.card.isAbnormal else { return }
        self.add(.readingAbnormal, .verdictAbnormal)
    }
}
