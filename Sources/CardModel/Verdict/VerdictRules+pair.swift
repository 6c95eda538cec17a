extension VerdictRules {
    /// Asks whether the back can have been issued to the holder of the front; silent where either does not say.
    ///
    /// The links are indirect: a back carries neither name nor number.
    func askIssue(of back: CardFields, to front: CardFields, into findings: inout FindingList) {
        guard let number = front.number.flatMap({ try? IDNumber.parse($0.reveal()).get() }),
            let validity = back.validity.flatMap({ Validity($0.reveal()) }), let issued = validity.start
        else { return }
        guard issued >= number.birthDate else {
            return findings.note(.issuedBeforeBirth, .verdictIssuedBeforeBirth)
        }
        let age = number.birthDate.age(on: issued)
        guard !validity.hasSpan(forAge: age) else { return }
        findings.note(.spanForAge, .verdictSpanForAge)
    }
}

extension Validity {
    /// Whether the span is the one the Law on Resident Identity Cards, article 5, gives at an age: 5 years below 16,
    /// 10 up to 25, 20 up to 45, then 长期; a missing end is not held against it.
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
