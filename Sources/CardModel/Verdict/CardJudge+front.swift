extension CardJudge {
    /// Applies the rules of the portrait side.
    mutating func checkFront(_ fields: CardFields) {
        let number = self.checkedNumber(fields.number)
        self.checkHolderNumber(fields.number)
        self.checkName(fields.name)
        self.checkHolderName(fields.name)
        if let number {
            self.checkBirthDate(fields.birthDate, against: number)
            self.checkGender(fields.gender, against: number)
            self.checkAge(of: number)
        }
        self.checkEthnicity(fields.ethnicity)
    }

    /// Checks the number, and returns it if it is valid; without a valid number, rules that compare with it are not applied.
    private mutating func checkedNumber(_ printed: Redacted<String>?) -> IDNumber? {
        guard let printed, !PrintedText.isBlank(printed) else {
            self.add(.numberMissing, .verdictNumberMissing)
            return nil
        }
        switch IDNumber.parse(printed.reveal()) {
        case .success(let number):
            if number.birthDate > self.today { self.add(.numberBirthDate, .verdictNumberBirthFuture) }
            return number
        case .failure(let violation):
            self.add(violation.consequence.rule, violation.consequence.message)
            return nil
        }
    }

    private mutating func checkName(_ printed: Redacted<String>?) {
        let count = printed.map { HolderName($0.reveal()).count } ?? 0
        if count == 0 {
            self.add(.nameMissing, .verdictNameMissing)
        } else if count > Limits.charactersOfName {
            self.add(.nameMissing, .verdictNameLong(count))
        } else if let printed, HolderName.isMasked(printed.reveal()) {
            self.add(.nameMasked, .verdictNameMasked)
        }
    }

    /// Skips an unread date. A date that was read but is not in the calendar (`2月30日`) counts as different from the number's.
    private mutating func checkBirthDate(_ printed: Redacted<String>?, against number: IDNumber) {
        guard let printed, !PrintedText.isBlank(printed) else { return }
        guard CalendarDay(printed: printed.reveal()) != number.birthDate else { return }
        self.add(.birthDateMismatch, .verdictBirthDateMismatch)
    }

    /// Skips an unread gender. An unknown spelling counts as different from the number's gender, so that an altered card
    /// cannot pass by it.
    private mutating func checkGender(_ printed: Redacted<String>?, against number: IDNumber) {
        guard let printed, !PrintedText.isBlank(printed) else { return }
        guard Gender(printed: printed.reveal()) != number.gender else { return }
        self.add(.genderMismatch, .verdictGenderMismatch)
    }

    private mutating func checkAge(of number: IDNumber) {
        guard self.rules.minimumAge > 0, number.birthDate.age(on: self.today) < self.rules.minimumAge else { return }
        self.add(.underAge, .verdictUnderAge(self.rules.minimumAge))
    }

    private mutating func checkEthnicity(_ printed: Redacted<String>?) {
        guard let printed, !PrintedText.isBlank(printed), !EthnicGroup.isKnown(printed.reveal()) else { return }
        self.add(.ethnicityUnknown, .verdictEthnicity)
    }

    // MARK: The registered holder
    //
    // Number and name are compared with those that the holder registered with, if given. An unread field does not match.

    private mutating func checkHolderNumber(_ printed: Redacted<String>?) {
        guard let expected = self.expected?.expectedIDNumber, !PrintedText.isBlank(expected) else { return }
        switch ExpectedHolder.hasNumber(printed, expected) {
        case true?: break
        case false?: self.add(.holderNumberMismatch, .verdictHolderNumber)
        case nil: self.add(.holderNumberMismatch, .verdictExpectedNumberMalformed)
        }
    }

    private mutating func checkHolderName(_ printed: Redacted<String>?) {
        guard let expected = self.expected?.expectedName, !PrintedText.isBlank(expected) else { return }
        if !ExpectedHolder.hasName(printed, expected) { self.add(.holderNameMismatch, .verdictHolderName) }
    }
}

/// Whether a reading matches the values that the holder registered with; for the rules and for displays.
package enum ExpectedHolder {
    /// Compares numbers in their normal form; an expected number of 15 digits is upgraded first.
    ///
    /// - Returns: whether they are equal; `nil` if the expected text is not a number.
    package static func hasNumber(_ read: Redacted<String>?, _ expected: Redacted<String>) -> Bool? {
        switch IDNumber.parse(registered: expected.reveal()) {
        case .success(let registered): (try? read.map { try IDNumber.parse($0.reveal()).get() }) == registered
        // The operator's rules may accept other documents, so compare the texts.
        case .failure(.unsupportedDocument): read.map(Self.folded) == Self.folded(expected)
        case .failure: nil
        }
    }

    /// Compares names after folding look-alikes.
    package static func hasName(_ read: Redacted<String>?, _ expected: Redacted<String>) -> Bool {
        HolderName(read?.reveal() ?? "") == HolderName(expected.reveal())
    }

    private static func folded(_ text: Redacted<String>) -> String { PrintedText.folded(text.reveal()).uppercased() }
}
