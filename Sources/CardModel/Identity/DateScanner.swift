/// Reads dates off folded text by hand, part by part: ICU patterns with `YYYY` and `DD` mean week-years and days of the year.
struct DateScanner {
    private var rest: Substring

    /// Starts at the beginning of a text that `PrintedText.folded` gave.
    init(_ text: String) {
        self.rest = text[...]
    }

    /// Whether everything was read.
    var isAtEnd: Bool { self.rest.isEmpty }

    /// Reads `YYYYMMDD`, `YYYY.MM.DD` (also with `/`, `-`, and the look-alikes of the dot) or `YYYY年M月D日`.
    ///
    /// - Returns: the day; `nil` if there is no such date here or the calendar has none such, and then nothing is read.
    mutating func date() -> CalendarDay? {
        let start = self.rest
        guard let year = self.number(ofExactly: 4), let month = self.month(), let day = self.day(after: month.divider),
            let date = CalendarDay(year: year, month: month.number, day: day)
        else {
            self.rest = start
            return nil
        }
        return date
    }

    /// Reads a word if it stands here.
    mutating func word(_ word: String) -> Bool {
        guard self.rest.hasPrefix(word) else { return false }
        self.rest.removeFirst(word.count)
        return true
    }

    /// Reads as many of some characters as stand here.
    mutating func skip(_ characters: Set<Character>) {
        while let next = self.rest.first, characters.contains(next) { self.rest.removeFirst() }
    }

    /// What divides year, month and day.
    private enum Divider: Equatable {
        case none
        case dot
        case slash
        case dash
        case word
    }

    private static let dividers: [Character: Divider] = [
        ".": .dot, "。": .dot, "·": .dot, "・": .dot, ",": .dot, "、": .dot, "/": .slash, "-": .dash,
        "‐": .dash, "–": .dash, "—": .dash, "年": .word, "月": .word,
    ]

    private mutating func divider() -> Divider {
        guard let next = self.rest.first, let divider = Self.dividers[next] else { return .none }
        self.rest.removeFirst()
        return divider
    }

    private mutating func month() -> (number: Int, divider: Divider)? {
        let divider = self.rest.first == "月" ? .none : self.divider()
        let month = divider == .none ? self.number(ofExactly: 2) : self.number(ofAtMost: 2)
        return month.map { ($0, divider) }
    }

    private mutating func day(after divider: Divider) -> Int? {
        guard self.rest.first != "年", self.divider() == divider else { return nil }
        guard divider != .none else { return self.number(ofExactly: 2) }
        let day = self.number(ofAtMost: 2)
        if divider == .word { _ = self.word("日") }
        return day
    }

    private mutating func number(ofExactly count: Int) -> Int? {
        let digits = self.rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(Self.isDigit) else { return nil }
        self.rest.removeFirst(count)
        return Int(digits)
    }

    private mutating func number(ofAtMost count: Int) -> Int? {
        let digits = self.rest.prefix(count).prefix(while: Self.isDigit)
        self.rest.removeFirst(digits.count)
        return Int(digits)
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
}

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
