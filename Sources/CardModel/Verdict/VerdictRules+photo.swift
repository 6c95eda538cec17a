extension VerdictRules {
    func askCount(of card: CardReading, expected: CardSide?, into findings: inout FindingList) {
        guard !card.isUnambiguous(for: expected) else { return }
        let count = card.others.count + 1
        findings.note(
            .severalCards,
            expected.map { .verdictSeveralCards(count, expected: $0) } ?? .verdictSeveralCardsNoSide(count)
        )
    }

    func askSide(_ side: CardSide, expected: CardSide?, into findings: inout FindingList) {
        guard let expected, side != expected else { return }
        findings.note(.sideMismatch, .verdictSideMismatch(side, expected: expected))
    }

    /// Compares with the vendor's threshold, else the configured one.
    func askLegality(of card: CardReading, into findings: inout FindingList) {
        guard let legality = card.legality else {
            return findings.note(.legalityUnavailable, .verdictLegalityUnavailable)
        }
        let threshold = legality.vendorThreshold ?? self.legalityThreshold
        guard legality.genuineScore < threshold else { return }
        findings.note(
            .legalityLow,
            .verdictLegalityLow(legality, threshold)
        )
    }

    /// Asked last: the service does not say what is abnormal, so any rule that knows better should decide.
    func askAbnormality(of card: CardReading, into findings: inout FindingList) {
        guard card.isAbnormal else { return }
        findings.note(.readingAbnormal, .verdictAbnormal)
    }
}
