import Synchronization

/// A day of the proleptic Gregorian calendar without time or zone.
package struct CalendarDay: Hashable, Comparable, Sendable {
    /// The year, 1 to 9999.
    package let year: Int
    /// The month, 1 to 12.
    package let month: Int
    /// The day of the month, 1 to 31.
    package let day: Int

    /// Creates a day; `nil` if it is not in the calendar (30 February, month 13).
    package init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        guard day <= Self.days(inMonth: month, of: year) else { return nil }
        self.init(checkedYear: year, month: month, day: day)
    }

    /// Creates a day that is known to be in the calendar.
    init(checkedYear year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    package static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: self.isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func isLeap(_ year: Int) -> Bool { (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 }

    package static func < (lhs: CalendarDay, rhs: CalendarDay) -> Bool {
        (lhs.year, lhs.month, lhs.day) < (rhs.year, rhs.month, rhs.day)
    }
}

extension CalendarDay {
    private static let first = CalendarDay(checkedYear: 1, month: 1, day: 1)
    private static let last = CalendarDay(checkedYear: 9999, month: 12, day: 31)

    /// Creates the day with this number of days after 1970-01-01, clamped to the years 1 to 9999. The algorithm counts in eras of
    /// 400 years, and lets years begin in March, so that a leap day ends its year.
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

    /// The number of days after 1970-01-01; negative before.
    package var daysSinceEpoch: Int {
        let year = self.month > 2 ? self.year : self.year - 1
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (self.month > 2 ? self.month - 3 : self.month + 9) + 2) / 5 + self.day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the age in completed years, on a day, of a person born on this day; negative before the birth.
    ///
    /// A person born on 29 February completes a year on 1 March if the year has no 29 February.
    package func age(on day: CalendarDay) -> Int {
        let hadBirthday = (day.month, day.day) >= (self.month, self.day)
        return day.year - self.year - (hadBirthday ? 0 : 1)
    }
}

extension CalendarDay {
    /// Creates the day in China at a time: UTC+8 all the year round, since 1991.
    ///
    /// A time outside the years 1 to 9999 gives their first or last day: a wrong clock must not cause a crash.
    package init(inChinaAt time: Timestamp) {
        let hours = time.millisecondsSinceEpoch.flooredQuotient(by: 3_600_000)
        self = CalendarDay(daysSinceEpoch: Int((hours + 8).flooredQuotient(by: 24)))
    }
}

extension Int64 {
    /// Divides and rounds down, also below zero, so that times before 1970 get the right day.
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension CalendarDay {
    /// Reads a date as services and cards write it: `1990-03-07`, `1990.3.7`, `1990/03/07`, `19900307`, `1990年3月7日`.
    ///
    /// Full-width digits and white space are folded. `nil` if the text is not a date of the calendar.
    package init?(printed text: String) {
        var remaining = PrintedText.foldedDates(text)
        self.init(takenFrom: &remaining)
        guard remaining.isEmpty else { return nil }
    }

    /// Reads and removes the date at the start of a text; `nil`, with the text unchanged, if there is none in the
    /// calendar.
    ///
    /// A day or month with two digits is always read as such, even if one digit would leave a date behind it:
    /// `2010.1.12020.1.1` is read as 12 January.
    init?(takenFrom text: inout Substring) {
        guard let match = Self.pattern.withLock({ text.prefixMatch(of: $0) }), let year = Int(match.1),
            let month = (match.2 ?? match.5 ?? match.7).flatMap({ Int($0) }),
            let day = (match.3 ?? match.6 ?? match.8).flatMap({ Int($0) })
        else { return nil }
        self.init(year: year, month: month, day: day)
        text = text[match.range.upperBound...]
    }

    /// Created once, because that takes longer than all other work on a reading.
    private static let pattern = Mutex(
        /([0-9]{4})(?:([0-9]{2})([0-9]{2})|([.\/-])([0-9]{1,2})\4([0-9]{1,2})|年([0-9]{1,2})月([0-9]{1,2})日?)/
    )
}

extension PrintedText {
    /// Folds a text with dates in it: characters that readers write for a dot or a dash become one.
    static func foldedDates(_ raw: String) -> Substring {
        let folded = self.folded(raw).map { character in
            if "。·・,、".contains(character) { return Character(".") }
            return "‐–—".contains(character) ? "-" : character
        }
        return String(folded)[...]
    }
}
