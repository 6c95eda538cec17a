/// The period in which a card is valid (有效期限), as its back prints it.
package struct Validity: Hashable, Sendable {
    /// The end of a period.
    package enum End: Hashable, Sendable {
        /// The last day, which still belongs to the period.
        case day(CalendarDay)
        /// The card never expires: 长期.
        case longTerm
        /// The end was not read.
        case missing
    }

    /// The first day, that of issue; `nil` if it was not read.
    package let start: CalendarDay?
    package let end: End

    /// Reads a period part by part.
    ///
    /// Accepts `2010.11.13-2020.11.13`, `2010.11.13-长期` (also 长期有效, 長期, 永久) and pairs of `YYYYMMDD`; inside a date also
    /// `/`, `-` or 年月日; between the dates any dash, `~`, 至, 到 or nothing; full-width characters and white space are
    /// folded. A start alone (`2010.11.13`, `2010.11.13-`) is a period without an end, 长期 or `-2020.11.13` one without
    /// a start.
    ///
    /// `nil` if the text holds anything else, a date is not in the calendar, or the end lies before the start.
    package init?(_ text: String) {
        var remaining = PrintedText.foldedDates(text)
        self.start = CalendarDay(takenFrom: &remaining)
        remaining = remaining.drop(while: Self.separators.contains)
        if let day = CalendarDay(takenFrom: &remaining) {
            guard remaining.isEmpty, self.start.map({ $0 <= day }) ?? true else { return nil }
            self.end = .day(day)
        } else if Self.longTermWords.contains(String(remaining)) {
            self.end = .longTerm
        } else {
            guard remaining.isEmpty, self.start != nil else { return nil }
            self.end = .missing
        }
    }

    /// Dashes of all kinds, and 一, which readers confuse with a dash.
    private static let separators: Set<Character> = [
        "-", "‒", "―", "−", "─", "一", "ー", "_", "~", "∼", "〜", "至", "到",
    ]

    private static let longTermWords: Set<String> = ["长期", "长期有效", "長期", "長期有效", "永久", "永久有效"]

    /// The whole years between start and end; `nil` if they are not whole, or either is missing or open.
    ///
    /// A period that starts on 29 February may end on 28 February or on 1 March.
    package var wholeYears: Int? {
        guard let start = self.start, case .day(let end) = self.end else { return nil }
        let isAnniversary = (end.month, end.day) == (start.month, start.day)
        let isLeapDayAnniversary =
            (start.month, start.day) == (2, 29) && [[2, 28], [3, 1]].contains([end.month, end.day])
        return isAnniversary || isLeapDayAnniversary ? end.year - start.year : nil
    }
}
