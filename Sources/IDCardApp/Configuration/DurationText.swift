/// Durations as people write them in configuration: a whole number and a unit, `500ms`, `5s`, `10m`, `2h`,
/// `30d`.
///
/// One unit per value: `1m30s` is written `90s`. The standard library has no parser, and swift-configuration knows no
/// durations.
package enum DurationText {
    /// The form in words, for messages.
    package static let expectation = "a whole number with the unit ms, s, m, h or d, such as 500ms, 5s, 10m, 2h or 30d"

    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", day),
    ]

    private static let day: Int64 = 86_400_000

    /// Reads a duration; `nil` if the text has another form or the number is too large.
    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text.dropFirst(digits.count)
        guard let unit = Self.units.first(where: { $0.suffix == suffix }), let number = Int64(digits) else {
            return nil
        }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
        return overflow ? nil : .milliseconds(milliseconds)
    }

    /// Writes a duration with the largest unit that keeps it whole: 90 s is `90s`, 120 s is `2m`; but a single day is
    /// `24h`. Parts of a millisecond are dropped.
    package static func render(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0 else { return "0s" }
        let units = milliseconds == Self.day ? Self.units.dropLast() : Self.units[...]
        let unit = units.last { milliseconds.isMultiple(of: $0.milliseconds) } ?? Self.units[0]
        return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
    }
}
