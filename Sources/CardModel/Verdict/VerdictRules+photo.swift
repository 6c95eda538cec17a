extension VerdictRules {
    func askCount(of card: CardReading, expected: CardSide?, into findings: inout FindingList) {
        guard !card.isUnambiguous(for: expected) else { return }
        let count = card.others.count + 1
        let advice = "photograph one side of one card alone"
        if let expected {
            findings.note(
                .severalCards,
                "the photo shows \(count) cards, and not exactly one of them from its \(expected.rawValue); \(advice)"
            )
        } else {
            findings.note(
                .severalCards,
                "the photo shows \(count) cards, and the metadata names no side that would single one out; \(advice)"
            )
        }
    }

    func askSide(_ side: CardSide, expected: CardSide?, into findings: inout FindingList) {
        guard let expected, side != expected else { return }
        findings.note(
            .sideMismatch,
            "the photo shows the \(side.rawValue), the metadata says \(expected.rawValue); photograph the "
                + "\(expected.rawValue), or put the metadata right"
        )
    }

    /// Compares with the vendor's threshold, else the configured one.
    func askLegality(of card: CardReading, into findings: inout FindingList) {
        guard let legality = card.legality else {
            return findings.note(
                .legalityUnavailable,
                "the verifier gave no legality scores; have the key licensed for them, or set "
                    + "verdict.severity.legality_unavailable to warn, and go on: idcard-pipeline cards retry ID"
            )
        }
        let threshold = legality.vendorThreshold ?? self.legalityThreshold
        guard legality.genuineScore < threshold else { return }
        findings.note(
            .legalityLow,
            "the card does not look like an original (\(Legality.genuine) \(legality.genuineScore) is below \(threshold)); "
                + "strongest other class: \(legality.strongestOtherClass ?? "none"); photograph the card itself"
        )
    }

    /// Asked last: the service does not say what is abnormal, so any rule that knows better should decide.
    func askAbnormality(of card: CardReading, into findings: inout FindingList) {
        guard card.isAbnormal else { return }
        findings.note(
            .readingAbnormal,
            "the verifier calls something on the card abnormal (unclear, covered or altered); take a new photo in good light"
        )
    }
}
