extension CardJudge {
    /// Asks the rules of the portrait side.
    mutating func askFront(_ fields: CardFields) {
        let number = self.number(fields.number)
        self.askHolderNumber(fields.number, parsed: number)
        self.askName(fields.name)
        self.askHolderName(fields.name)
        if let number {
            self.askBirthDate(fields.birthDate, against: number)
            self.askGender(fields.gender, against: number)
            self.askAge(of: number)
        }
        self.askEthnicity(fields.ethnicity)
    }

    /// Asks for the number, and returns it if it is one; the rules that compare with it are silent if it is none.
    private mutating func number(_ printed: Redacted<String>?) -> IDNumber? {
        guard let printed, !PrintedText.isBlank(printed) else {
            self.note(.numberMissing, .verdictNumberMissing)
            return nil
        }
        switch IDNumber.parse(printed.reveal()) {
        case .success(let number):
            if number.birthDate > self.today { self.note(.numberBirthDate, .verdictNumberBirthFuture) }
            return number
        case .failure(let violation):
            self.note(violation.rule, violation.message)
            return nil
        }
    }

    private mutating func askName(_ printed: Redacted<String>?) {
        let count = printed.map { HolderName($0.reveal()).count } ?? 0
        if count == 0 {
            self.note(.nameMissing, .verdictNameMissing)
        } else if count > Limits.charactersOfName {
            self.note(.nameMissing, .verdictNameLong(count))
        } else if let printed, HolderName.isMasked(printed.reveal()) {
            self.note(.nameMasked, .verdictNameMasked)
        }
    }

    /// A date that was not read is not compared; one that was read and is none (`2月30日`) cannot be the number's.
    private mutating func askBirthDate(_ printed: Redacted<String>?, against number: IDNumber) {
        guard let printed, !PrintedText.isBlank(printed) else { return }
        guard CalendarDay(printed: printed.reveal()) != number.birthDate else { return }
        self.note(.birthDateMismatch, .verdictBirthDateMismatch)
    }

    /// A gender that was not read is not compared; a spelling that is not known cannot be the number's, since an
    /// altered card must not pass for an unusual one.
    private mutating func askGender(_ printed: Redacted<String>?, against number: IDNumber) {
        guard let printed, !PrintedText.isBlank(printed) else { return }
        guard Gender(printed: printed.reveal()) != number.gender else { return }
        self.note(.genderMismatch, .verdictGenderMismatch)
    }

    private mutating func askAge(of number: IDNumber) {
        guard self.rules.minimumAge > 0, number.birthDate.age(on: self.today) < self.rules.minimumAge else { return }
        self.note(.underAge, .verdictUnderAge(self.rules.minimumAge))
    }

    private mutating func askEthnicity(_ printed: Redacted<String>?) {
        guard let printed, !PrintedText.isBlank(printed), !EthnicGroup.isKnown(printed.reveal()) else { return }
        self.note(.ethnicityUnknown, .verdictEthnicity)
    }

    // MARK: Whose card it is
    //
    // Compared with the identity the holder registered with; a blank expectation is none. Nothing passes for lack of a reading:
    // what was not read is not what is expected.

    /// Compares numbers after reading both; an expected one of 15 digits is upgraded.
    private mutating func askHolderNumber(_ printed: Redacted<String>?, parsed number: IDNumber?) {
        guard let expected = self.expectation.idNumber, !PrintedText.isBlank(expected) else { return }
        switch IDNumber.parse(registered: expected.reveal()) {
        case .success(let registered):
            guard number != registered else { return }
        case .failure(.unsupportedDocument):
            // Where other documents are let pass, the card can still be the expected one.
            let read = printed.map { PrintedText.folded($0.reveal()).uppercased() }
            guard read != PrintedText.folded(expected.reveal()).uppercased() else { return }
        case .failure:
            return self.note(.holderNumberMismatch, .verdictExpectedNumberMalformed)
        }
        self.note(.holderNumberMismatch, .verdictHolderNumber)
    }

    /// Compares names after folding what is written alike.
    private mutating func askHolderName(_ printed: Redacted<String>?) {
        guard let expected = self.expectation.name, !PrintedText.isBlank(expected) else { return }
        guard HolderName(printed?.reveal() ?? "") != HolderName(expected.reveal()) else { return }
        self.note(.holderNameMismatch, .verdictHolderName)
    }
}
