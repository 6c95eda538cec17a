extension VerdictRules {
    /// Asks the rules of the emblem side.
    func askBack(_ fields: CardFields, today: CalendarDay, into findings: inout FindingList) {
        self.askValidity(fields.validity, today: today, into: &findings)
        self.askIssuer(fields.issuer, into: &findings)
    }

    private func askValidity(_ printed: Redacted<String>?, today: CalendarDay, into findings: inout FindingList) {
        guard let printed, !PrintedText.isBlank(printed) else {
            return findings.note(.validityUnreadable, "the validity was not read; take a sharper photo")
        }
        guard let validity = Validity(printed.reveal()) else {
            return findings.note(
                .validityUnreadable,
                """
                the validity read (\(printed)) is not a period of two days of the calendar, or one and 长期; compare it with the \
                card, and take a sharper photo
                """
            )
        }
        if let start = validity.start, start > today {
            findings.note(.validityNotBegun, "the card is not valid yet; take a sharper photo or check the card")
        }
        self.askEnd(validity.end, today: today, into: &findings)
        self.askSpan(validity, into: &findings)
    }

    /// The last day still belongs to the validity.
    private func askEnd(_ end: Validity.End, today: CalendarDay, into findings: inout FindingList) {
        switch end {
        case .longTerm: break
        case .missing:
            findings.note(
                .validityEndMissing,
                "the end of the validity was not read, so nobody knows whether the card has expired; look at the photo"
            )
        case .day(let end) where end < today:
            findings.note(.expired, "the card has expired; photograph the holder's new card")
        case .day(let end):
            let daysLeft = end.daysSinceEpoch - today.daysSinceEpoch
            guard daysLeft <= Limits.daysOfNotice else { return }
            findings.note(
                .expiresSoon,
                "the card expires within \(Limits.daysOfNotice) days; ask the holder for the new one then"
            )
        }
    }

    private func askSpan(_ validity: Validity, into findings: inout FindingList) {
        guard validity.start != nil else {
            return findings.note(
                .validityStartMissing,
                "the start of the validity was not read; compare the reading with the card"
            )
        }
        guard case .day = validity.end else { return }
        if let years = validity.wholeYears, [5, 10, 20].contains(years) { return }
        findings.note(
            .validitySpan,
            "the validity is not 5, 10 or 20 years or 长期, as cards are issued for; compare the reading with the card"
        )
    }

    private func askIssuer(_ printed: Redacted<String>?, into findings: inout FindingList) {
        if PrintedText.isBlank(printed) {
            return findings.note(.issuerUnusual, "the issuing authority was not read; compare with the card")
        }
        guard let printed, !PrintedText.folded(printed.reveal()).contains("公安") else { return }
        findings.note(.issuerUnusual, "the issuing authority read is no police authority (公安); compare with the card")
    }
}
