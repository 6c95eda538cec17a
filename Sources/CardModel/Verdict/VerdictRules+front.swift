extension VerdictRules {
    /// Asks the rules of the portrait side.
    func askFront(
        _ fields: CardFields,
        expecting expectation: CardExpectation,
        today: CalendarDay,
        into findings: inout FindingList
    ) {
        let number = self.number(fields.number, today: today, into: &findings)
        self.askHolderNumber(fields.number, parsed: number, expected: expectation.idNumber, into: &findings)
        self.askName(fields.name, into: &findings)
        self.askHolderName(fields.name, expected: expectation.name, into: &findings)
        if let number {
            self.askBirthDate(fields.birthDate, against: number, into: &findings)
            self.askGender(fields.gender, against: number, into: &findings)
            self.askAge(of: number, today: today, into: &findings)
        }
        self.askEthnicity(fields.ethnicity, into: &findings)
    }

    /// Asks for the number, and returns it if it is one; the rules that compare with it are silent if it is none.
    private func number(
        _ printed: Redacted<String>?,
        today: CalendarDay,
        into findings: inout FindingList
    ) -> IDNumber? {
        guard let printed, !PrintedText.isBlank(printed) else {
            findings.note(.numberMissing, .verdictNumberMissing)
            return nil
        }
        switch IDNumber.parse(printed.reveal()) {
        case .success(let number):
            if number.birthDate > today {
                findings.note(.numberBirthDate, .verdictNumberBirthFuture)
            }
            return number
        case .failure(let violation):
            findings.note(violation.rule, violation.message)
            return nil
        }
    }

    private func askName(_ printed: Redacted<String>?, into findings: inout FindingList) {
        let count = printed.map { HolderName($0.reveal()).count } ?? 0
        if count == 0 {
            findings.note(.nameMissing, .verdictNameMissing)
        } else if count > Limits.charactersOfName {
            findings.note(.nameMissing, .verdictNameLong(count))
        } else if let printed, HolderName.isMasked(printed.reveal()) {
            findings.note(.nameMasked, .verdictNameMasked)
        }
    }

    /// A date that was not read is not compared; one that was read and is none (`2月30日`) cannot be the number's.
    private func askBirthDate(
        _ printed: Redacted<String>?,
        against number: IDNumber,
        into findings: inout FindingList
    ) {
        guard let printed, !PrintedText.isBlank(printed) else { return }
        guard CalendarDay(printed: printed.reveal()) != number.birthDate else { return }
        findings.note(.birthDateMismatch, .verdictBirthDateMismatch)
    }

    /// A gender that was not read is not compared; a spelling that is not known cannot be the number's, since an
    /// altered card must not pass for an unusual one.
    private func askGender(
        _ printed: Redacted<String>?,
        against number: IDNumber,
        into findings: inout FindingList
    ) {
        guard let printed, !PrintedText.isBlank(printed) else { return }
        guard Gender(printed: printed.reveal()) != number.gender else { return }
        findings.note(.genderMismatch, .verdictGenderMismatch)
    }

    private func askAge(of number: IDNumber, today: CalendarDay, into findings: inout FindingList) {
        guard self.minimumAge > 0, number.birthDate.age(on: today) < self.minimumAge else { return }
        findings.note(.underAge, .verdictUnderAge(self.minimumAge))
    }

    private func askEthnicity(_ printed: Redacted<String>?, into findings: inout FindingList) {
        guard let printed, !PrintedText.isBlank(printed), !EthnicGroup.isKnown(printed.reveal()) else { return }
        findings.note(.ethnicityUnknown, .verdictEthnicity)
    }
}
