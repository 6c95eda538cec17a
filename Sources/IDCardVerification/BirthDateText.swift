import OutboundHTTP

/// A birth date as replies carry it, as `YYYY-MM-DD`.
///
/// FaceID v1 gives an object of texts that are not padded with zeros, Face++ a text, FaceID v3 three fields. The date is
/// not checked against the calendar: the vendor does not either, and the verdict is not the parser's.
struct BirthDateText {
    /// The date as `YYYY-MM-DD`.
    let text: String

    /// Reads the object of FaceID v1 or the text of Face++; `nil` if year, month and day are not all there.
    init?(_ value: JSONValue) {
        if let members = value.object {
            self.init(year: members["year"]?.text, month: members["month"]?.text, day: members["day"]?.text)
        } else if let text = value.text {
            let parts = Self.split(text)
            guard parts.count == 3 else { return nil }
            self.init(year: parts[0], month: parts[1], day: parts[2])
        } else {
            return nil
        }
    }

    /// Joins three numbers; `nil` if one is missing or none.
    init?(year: String?, month: String?, day: String?) {
        guard let year = year.flatMap(Int.init), let month = month.flatMap(Int.init), let day = day.flatMap(Int.init)
        else { return nil }
        guard (1000...9999).contains(year), (1...99).contains(month), (1...99).contains(day) else { return nil }
        self.text = "\(year)-\(Self.padded(month))-\(Self.padded(day))"
    }

    /// Splits `1990-03-07`, `1990.3.7`, `1990年3月7日` and `19900307`.
    private static func split(_ text: String) -> [String] {
        let groups = text.split { !("0"..."9").contains($0) }.map(String.init)
        guard groups.count == 1, let digits = groups.first, digits.count == 8 else { return groups }
        return [String(digits.prefix(4)), String(digits.dropFirst(4).prefix(2)), String(digits.suffix(2))]
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
