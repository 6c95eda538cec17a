extension CalendarDay {
    private static let first = CalendarDay(checkedYear: 1, month: 1, day: 1)
    private static let last = CalendarDay(checkedYear: 9999, month: 12, day: 31)

    /// The day so many days after 1970-01-01, within the years 1 to 9999: what lies outside becomes their first or last day.
    ///
    /// Counts years that begin in March, so that the leap day is the last of its year, in eras of 400 years.
    package init(daysSinceEpoch days: Int) {
        guard days > Self.first.daysSinceEpoch else {
            self = Self.first
            return
        }
        guard days < Self.last.daysSinceEpoch else {
            self = Self.last
            return
        }
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        self.init(
            checkedYear: yearOfEra + era * 400 + (month >= 10 ? 1 : 0),
            month: month < 10 ? month + 3 : month - 9,
            day: dayOfYear - (153 * month + 2) / 5 + 1
        )
    }

    /// How many days this day lies after 1970-01-01; negative before.
    package var daysSinceEpoch: Int {
        let year = self.month > 2 ? self.year : self.year - 1
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (self.month > 2 ? self.month - 3 : self.month + 9) + 2) / 5 + self.day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the age in completed years, on a day, of a person born on this day; negative before the birth.
    ///
    /// Who is born on 29 February completes a year on 1 March where there is no 29 February.
    package func age(on day: CalendarDay) -> Int {
        let hadBirthday = (day.month, day.day) >= (self.month, self.day)
        return day.year - self.year - (hadBirthday ? 0 : 1)
    }
}
