extension VerdictRules {
    /// Asks the rules of the emblem side.
    func askBack(_ fields: CardFields, today: CalendarDay, into findings: inout FindingList) {
        self.askValidity(fields.validity, today: today, into: &findings)
        self.askIssuer(fields.issuer, into: &findings)
    }

    private func askValidity(_ printed: Redacted<String>?, today: CalendarDay, into findings: inout FindingList) {
        guard let printed, !PrintedText.isBlank(printed) else {
            return findings.note(.validityUnreadable, .verdictValidityMissing)
        }
        guard let validity = Validity(printed.reveal()) else {
            return findings.note(.validityUnreadable, .verdictValidityUnreadable(printed))
        }
        if let start = validity.start, start > today {
            findings.note(.validityNotBegun, .verdictNotBegun)
        }
        self.askEnd(validity.end, today: today, into: &findings)
        self.askSpan(validity, into: &findings)
    }

    /// The last day still belongs to the validity.
    private func askEnd(_ end: Validity.End, today: CalendarDay, into findings: inout FindingList) {
        switch end {
        case .longTerm: break
        case .missing:
            findings.note(.validityEndMissing, .verdictValidityEndMissing)
        case .day(let end) where end < today:
            findings.note(.expired, .verdictExpired)
        case .day(let end):
            let daysLeft = end.daysSinceEpoch - today.daysSinceEpoch
            guard daysLeft <= Limits.daysOfNotice else { return }
            findings.note(.expiresSoon, .verdictExpiresSoon)
        }
    }

    private func askSpan(_ validity: Validity, into findings: inout FindingList) {
        guard validity.start != nil else {
            return findings.note(.validityStartMissing, .verdictValidityStartMissing)
        }
        guard case .day = validity.end else { return }
        if let years = validity.wholeYears, [5, 10, 20].contains(years) { return }
        findings.note(.validitySpan, .verdictValiditySpan)
    }

    private func askIssuer(_ printed: Redacted<String>?, into findings: inout FindingList) {
        if PrintedText.isBlank(printed) {
            return findings.note(.issuerUnusual, .verdictIssuerMissing)
        }
        guard let printed, !PrintedText.folded(printed.reveal()).contains("公安") else { return }
        findings.note(.issuerUnusual, .verdictIssuer)
    }
}
