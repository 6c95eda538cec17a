package import IDCardCore

/// Reads the `Retry-After` header (RFC 9110 section 10.2.3): whole seconds, or the date form that senders must use
/// (IMF-fixdate).
///
/// The obsolete date forms of RFC 850 and asctime, and anything else, read as absent: the caller's own backoff then
/// applies.
package enum RetryAfter {
    /// The longest wait that is believed, six hours, as urllib3 has it: a remote must not stop the pipeline for ever.
    package static let maximum: Duration = .seconds(6 * 3600)

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Reads a header value.
    ///
    /// - Parameters:
    ///   - value: the value as received.
    ///   - now: the time against which a date is measured.
    /// - Returns: a wait between zero and ``maximum``; `nil` if the value has neither form.
    package static func parse(_ value: String, now: Timestamp) -> Duration? {
        let text = value.trimmed
        if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // More digits than fit are a long wait, not a malformed one.
            return min(.seconds(Int32(text) ?? .max), self.maximum)
        }
        guard let date = self.fixdate(text) else { return nil }
        return min(max(date.duration(since: now), .zero), self.maximum)
    }

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func fixdate(_ text: String) -> Timestamp? {
        let fields = text.split(separator: " ").map(String.init)
        guard fields.count == 6, fields[0].hasSuffix(","), fields[5] == "GMT" else { return nil }
        guard let month = self.months.firstIndex(of: fields[2]), fields[3].count == 4 else { return nil }
        guard let dayOfMonth = Int(fields[1]), let year = Int(fields[3]) else { return nil }
        guard let day = CalendarDay(year: year, month: month + 1, day: dayOfMonth) else { return nil }
        let clock = fields[4].split(separator: ":").compactMap { Int($0) }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]) else { return nil }
        // 60 is a leap second.
        guard (0...60).contains(clock[2]) else { return nil }
        let seconds = clock[0] * 3600 + clock[1] * 60 + clock[2]
        return Timestamp(millisecondsSinceEpoch: (self.daysSinceEpoch(day) * 86_400 + Int64(seconds)) * 1000)
    }

    /// Counts days from 1970-01-01 in the proleptic Gregorian calendar, with years that begin in March so that the leap
    /// day is the last.
    private static func daysSinceEpoch(_ day: CalendarDay) -> Int64 {
        let year = day.month <= 2 ? day.year - 1 : day.year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((day.month + 9) % 12) + 2) / 5 + day.day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }
}
