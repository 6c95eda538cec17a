import CardModel
import Testing

@Suite struct CalendarDayTests {
    @Test(arguments: [
        (0 as Int64, 1970, 1, 1),
        // 1970-01-02 begins in China at 16:00 UTC.
        (57_599_999, 1970, 1, 1),
        (57_600_000, 1970, 1, 2),
        // 1970-01-01 begins in China at 16:00 UTC of the day before.
        (-28_800_000, 1970, 1, 1),
        (-28_800_001, 1969, 12, 31),
        (-86_400_000, 1969, 12, 31),
        // 2024-02-28T15:59:59.999Z, 2024-02-28T16:00:00Z and 2024-02-29T16:00:00Z.
        (1_709_135_999_999, 2024, 2, 28),
        (1_709_136_000_000, 2024, 2, 29),
        (1_709_222_400_000, 2024, 3, 1),
        // 2026-11-21T11:00:00Z and 2026-12-31T16:00:00Z.
        (1_795_258_800_000, 2026, 11, 21),
        (1_798_732_800_000, 2027, 1, 1),
        // 1900-02-28T16:00:00Z: no leap year.
        (-2_203_920_000_000, 1900, 3, 1),
        // 0001-01-01T00:00:00Z and 9999-12-31T15:59:59.999Z.
        (-62_135_596_800_000, 1, 1, 1),
        (253_402_271_999_999, 9999, 12, 31),
    ])
    func `The day in China is that of UTC+8, always`(milliseconds: Int64, year: Int, month: Int, day: Int) {
        let found = CalendarDay(inChinaAt: Timestamp(millisecondsSinceEpoch: milliseconds))
        #expect(found == CalendarDay.day(year, month, day))
    }

    @Test func `A clock beyond the years 1 to 9999 gives the first or the last day`() {
        let ends = [Int64.min, Int64.max].map { CalendarDay(inChinaAt: Timestamp(millisecondsSinceEpoch: $0)) }
        #expect(ends == [.day(1, 1, 1), .day(9999, 12, 31)])
        #expect(CalendarDay(daysSinceEpoch: .min) == .day(1, 1, 1))
        #expect(CalendarDay(daysSinceEpoch: .max) == .day(9999, 12, 31))
    }

    @Test func `Counting days and back gives every day of 1 to 9999, each one more than the day before`() {
        var expected = CalendarDay.day(1, 1, 1).daysSinceEpoch
        var wrong: [String] = []
        for year in 1...9999 {
            for month in 1...12 {
                for day in [1, CalendarDay.days(inMonth: month, of: year)] {
                    let date = CalendarDay.day(year, month, day)
                    if day > 1 { expected += day - 1 }
                    if date.daysSinceEpoch != expected || CalendarDay(daysSinceEpoch: expected) != date {
                        wrong.append("\(year)-\(month)-\(day)")
                    }
                }
                expected += 1
            }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
        #expect(CalendarDay.day(1970, 1, 1).daysSinceEpoch == 0)
        #expect(CalendarDay.day(2000, 3, 1).daysSinceEpoch == 11_017)
        #expect(CalendarDay.day(1, 1, 1).daysSinceEpoch == -719_162)
    }

    @Test(arguments: [
        (CalendarDay.day(1990, 3, 7), CalendarDay.day(2026, 3, 6), 35),
        (.day(1990, 3, 7), .day(2026, 3, 7), 36),
        (.day(2000, 2, 29), .day(2018, 2, 28), 17),
        (.day(2000, 2, 29), .day(2018, 3, 1), 18),
        (.day(2000, 2, 29), .day(2020, 2, 29), 20),
        (.day(2000, 12, 31), .day(2001, 1, 1), 0),
        (.day(2030, 1, 1), .day(2026, 1, 1), -4),
    ])
    func `A year of age ends on the birthday, or 1 March`(birth: CalendarDay, day: CalendarDay, expected: Int) {
        #expect(birth.age(on: day) == expected)
    }

    @Test(arguments: [
        "1990-03-07", "1990-3-7", "1990.03.07", "1990/3/07", "19900307", "1990年3月7日", "1990年03月07", "１９９０－０３－０７",
        " 1990 年 3 月 7 日 ", "1990．3．7",
    ])
    func `A date is read in every spelling of services and cards`(text: String) {
        #expect(CalendarDay(printed: text) == .day(1990, 3, 7))
    }

    @Test(arguments: [
        "", "1990", "1990-03", "1990-02-30", "1990-13-01", "1900-02-29", "0000-01-01", "90-03-07", "199003", "1990307",
        "1990-03-07x", "x1990-03-07", "1990-03.07", "199003-07", "1990-0307", "1990--03-07", "1990-003-07",
        "1990-03-007", "1990月3年7日", "1990-03-07T00:00:00", "1990-03-0٧", "1990-+3-07",
    ])
    func `What is no date, or none of the calendar, is not read`(text: String) {
        #expect(CalendarDay(printed: text) == nil)
    }
}
