import Synchronization

extension CalendarDay {
    /// Reads a date as services and cards write it: `1990-03-07`, `1990.3.7`, `1990/03/07`, `19900307`, `1990年3月7日`.
    ///
    /// Full-width digits and white space are folded. `nil` if the text is no date or the calendar has none such.
    package init?(printed text: String) {
        var rest = PrintedText.foldedDates(text)
        self.init(takenFrom: &rest)
        guard rest.isEmpty else { return nil }
    }

    /// Takes off a text the date that it begins with; `nil`, and nothing is taken, if there is none or the calendar
    /// has none such.
    ///
    /// Each date is taken as far as it goes, whatever follows: `2010.1.12020.1.1` is not cut where it would make sense.
    init?(takenFrom text: inout Substring) {
        guard let match = Self.pattern.withLock({ text.prefixMatch(of: $0) }), let year = Int(match.1),
            let month = (match.2 ?? match.5 ?? match.7).flatMap({ Int($0) }),
            let day = (match.3 ?? match.6 ?? match.8).flatMap({ Int($0) })
        else { return nil }
        self.init(year: year, month: month, day: day)
        text = text[match.range.upperBound...]
    }
}

extension CalendarDay {
    /// Made once: making it takes longer than everything else that is done with a reading.
    private static let pattern = Mutex(
        /([0-9]{4})(?:([0-9]{2})([0-9]{2})|([.\/-])([0-9]{1,2})\4([0-9]{1,2})|年([0-9]{1,2})月([0-9]{1,2})日?)/
    )
}

extension PrintedText {
    /// Folds a text with dates in it: what readers write for a dot or a dash is one.
    static func foldedDates(_ raw: String) -> Substring {
        let folded = self.folded(raw).map { character in
            "。·・,、".contains(character) ? "." : "‐–—".contains(character) ? "-" : character
        }
        return String(folded)[...]
    }
}
