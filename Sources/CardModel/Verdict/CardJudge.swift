/// Judges one card of a reading: applies every rule, and records those that do not hold.
struct CardJudge {
    let rules: VerdictRules
    let card: CardReading
    let expected: CardMetadata?
    let today: CalendarDay
    /// The findings, in the order of the rules.
    private(set) var findings: [VerdictFinding] = []

    /// Adds that a rule does not hold, unless it is off.
    mutating func add(_ rule: VerdictRule, _ message: Message) {
        if let finding = self.rules.finding(rule, message) { self.findings.append(finding) }
    }

    mutating func ask() {
        self.askCount()
        guard let side = self.card.side else { return self.add(.cardNotRecognised, .verdictCardNotRecognised) }
        self.askSide(side)
        self.askLegality()
        switch side {
        case .front: self.askFront(self.card.fields)
        case .back: self.askBack(self.card.fields)
        }
        self.askAbnormality()
    }

    // MARK: The photo

    private mutating func askCount() {
        guard !self.card.isUnambiguous(for: self.expected?.side) else { return }
        let count = self.card.others.count + 1
        let message = self.expected?.side.map { Message.verdictSeveralCards(count, expected: $0) }
        self.add(.severalCards, message ?? .verdictSeveralCardsNoSide(count))
    }

    private mutating func askSide(_ side: CardSide) {
        guard let expected = self.expected?.side, side != expected else { return }
        self.add(.sideMismatch, .verdictSideMismatch(side, expected: expected))
    }

    /// Compares with the vendor's threshold, else the configured one.
    private mutating func askLegality() {
        guard let legality = self.card.legality else {
            return self.add(.legalityUnavailable, .verdictLegalityUnavailable)
        }
        let threshold = legality.vendorThreshold ?? self.rules.legalityThreshold
        guard legality.genuineScore < threshold else { return }
        self.add(.legalityLow, .verdictLegalityLow(legality, threshold))
    }

    /// Applied last: the service does not say what is abnormal, so a more specific rule should decide.
    private mutating func askAbnormality() {
        guard self.card.isAbnormal else { return }
        self.add(.readingAbnormal, .verdictAbnormal)
    }
}
