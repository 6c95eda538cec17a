extension CardJudge {
    /// Applies the rules of the emblem side.
    mutating func checkBack(_ fields: CardFields) {
        self.checkValidity(fields.validity)
        self.checkIssuer(fields.issuer)
    }

    private mutating func checkValidity(_ printed: Redacted<String>?) {
        guard let printed, !PrintedText.isBlank(printed) else {
            return self.add(.validityUnreadable, .verdictValidityMissing)
        }
        guard let validity = Validity(printed.reveal()) else {
            return self.add(.validityUnreadable, .verdictValidityUnreadable(printed))
        }
        if let start = validity.start, start > self.today { self.add(.validityNotBegun, .verdictNotBegun) }
        self.checkEnd(validity.end)
        self.checkSpan(validity)
    }

    /// A card is still valid on its last day.
    private mutating func checkEnd(_ end: Validity.End) {
        switch end {
        case .longTerm: break
        case .missing: self.add(.validityEndMissing, .verdictValidityEndMissing)
        case .day(let end) where end < self.today: self.add(.expired, .verdictExpired)
        case .day(let end):
            let daysLeft = end.daysSinceEpoch - self.today.daysSinceEpoch
            guard daysLeft <= Limits.daysOfNotice else { return }
            self.add(.expiresSoon, .verdictExpiresSoon)
        }
    }

    private mutating func checkSpan(_ validity: Validity) {
        guard validity.start != nil else { return self.add(.validityStartMissing, .verdictValidityStartMissing) }
        guard case .day = validity.end else { return }
        if let years = validity.wholeYears, [5, 10, 20].contains(years) { return }
        self.add(.validitySpan, .verdictValiditySpan)
    }

    private mutating func checkIssuer(_ printed: Redacted<String>?) {
        if PrintedText.isBlank(printed) { return self.add(.issuerUnusual, .verdictIssuerMissing) }
        guard let printed, !PrintedText.folded(printed.reveal()).contains("公安") else { return }
        self.add(.issuerUnusual, .verdictIssuer)
    }
}
