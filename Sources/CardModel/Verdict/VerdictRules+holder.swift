/// Compares the card with the identity the holder registered with; a blank expectation is none.
///
/// Nothing passes for lack of a reading: what was not read is not what is expected.
extension VerdictRules {
    /// Compares numbers after reading both; an expected one of 15 digits is upgraded.
    func askHolderNumber(
        _ printed: Redacted<String>?,
        parsed number: IDNumber?,
        expected: Redacted<String>?,
        into findings: inout FindingList
    ) {
        guard let expected, !PrintedText.isBlank(expected) else { return }
        switch IDNumber.parse(registered: expected.reveal()) {
        case .success(let registered):
            guard number != registered else { return }
        case .failure(.unsupportedDocument):
            // Where other documents are let pass, the card can still be the expected one.
            let read = printed.map { PrintedText.folded($0.reveal()).uppercased() }
            guard read != PrintedText.folded(expected.reveal()).uppercased() else { return }
        case .failure:
            return findings.note(.holderNumberMismatch, .verdictExpectedNumberMalformed)
        }
        findings.note(.holderNumberMismatch, .verdictHolderNumber)
    }

    /// Compares names after folding what is written alike.
    func askHolderName(
        _ printed: Redacted<String>?,
        expected: Redacted<String>?,
        into findings: inout FindingList
    ) {
        guard let expected, !PrintedText.isBlank(expected) else { return }
        guard HolderName(printed?.reveal() ?? "") != HolderName(expected.reveal()) else { return }
        findings.note(.holderNameMismatch, .verdictHolderName)
    }
}
