extension CalendarDay {
    /// Reads a date as services and cards write it: `1990-03-07`, `1990.3.7`, `1990/03/07`, `19900307`, `1990年3月7日`.
    ///
    /// Full-width digits and white space are folded. `nil` if the text is no date or the calendar has none such.
    package init?(printed text: String) {
        var scanner = DateScanner(PrintedText.folded(text))
        guard let day = scanner.date(), scanner.isAtEnd else { return nil }
        self = day
    }
}
