extension CardJudge {
    /// Applies the rules of the emblem side.
    mutating func askBack(_ fields: CardFields) {
        self.askValidity(fields.validity)
        self.askIssuer(fields.issuer)
    }

    private mutating func askValidity(_ printed: Redacted<String>?) {
        guard let printed, !PrintedText.isBlank(printed) else {
            return self.add(.validityUnreadable, .verdictValidityMissing)
        }
        guard let validity = Validity(printed.reveal()) else {
            return self.add(.validityUnreadable, .verdictValidityUnreadable(printed))
        }
        if let start = validity.start, start > self.today { self.add(.validityNotBegun, .verdictNotBegun) }
        self.askEnd(validity.end)
        self.askSpan(validity)
    }

    /// The last day still belongs to the validity.
    private mutating func askEnd(_ end: Validity.End) {
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

    private mutating func askSpan(_ validity: Validity) {
        guard validity.start != nil else { return self.add(.validityStartMissing, .verdictValidityStartMissing) }
        guard case .day = validity.end else { return }
        if let years = validity.wholeYears, [5, 10, 20].contains(years) { return }
        self.add(.validitySpan, .verdictValiditySpan)
    }

    private mutating func askIssuer(_ printed: Redacted<String>?) {
        if PrintedText.isBlank(printed) { return self.add(.issuerUnusual, .verdictIssuerMissing) }
        guard let printed, !PrintedText.folded(printed.reveal()).contains("公安") else { return }
        self.add(.issuerUnusual, .verdictIssuer)
    }
}
