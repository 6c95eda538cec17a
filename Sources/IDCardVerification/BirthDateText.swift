import OutboundHTTP

/// A birth date as replies carry it, as `YYYY-MM-DD`.
///
/// FaceID v1 gives an object of strings that are not zero-padded, its siblings a string. The date is not checked
/// against the calendar: the vendor does not either, and the verdict is not the parser's.
struct BirthDateText {
    /// The date as `YYYY-MM-DD`.
    let text: String

    /// Reads either form; `nil` if year, month and day are not all there.
    init?(_ value: JSONValue) {
        let parts: [String?]
        if let members = value.object {
            parts = ["year", "month", "day"].map { members[$0]?.text }
        } else if let text = value.text {
            parts = Self.split(text)
        } else {
            return nil
        }
        let numbers = parts.compactMap { $0.flatMap(Int.init) }
        guard numbers.count == 3, parts.count == 3 else { return nil }
        guard (1000...9999).contains(numbers[0]), (1...99).contains(numbers[1]), (1...99).contains(numbers[2]) else {
            return nil
        }
        self.text = "\(numbers[0])-\(Self.padded(numbers[1]))-\(Self.padded(numbers[2]))"
    }

    /// Splits `1990-03-07`, `1990.3.7`, `1990年3月7日` and `19900307`.
    private static func split(_ text: String) -> [String] {
        let groups = text.split { !("0"..."9").contains($0) }.map(String.init)
        guard groups.count == 1, let digits = groups.first, digits.count == 8 else { return groups }
        return [String(digits.prefix(4)), String(digits.dropFirst(4).prefix(2)), String(digits.suffix(2))]
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
