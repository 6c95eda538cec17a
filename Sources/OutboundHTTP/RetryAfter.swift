package import IDCardCore

/// Reads the `Retry-After` header (RFC 9110 section 10.2.3): whole seconds, or a date in any of the three forms that
/// recipients must accept (section 5.6.7): IMF-fixdate, RFC 850, asctime.
///
/// Anything else reads as absent: the caller's own backoff then applies.
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
        guard let date = self.date(text, now: now) else { return nil }
        return min(max(date.duration(since: now), .zero), self.maximum)
    }

    private static func date(_ text: String, now: Timestamp) -> Timestamp? {
        let fields = text.split(separator: " ").map(String.init)
        switch fields.count {
        // Sun, 06 Nov 1994 08:49:37 GMT
        case 6 where fields[0].hasSuffix(",") && fields[5] == "GMT" && fields[3].count == 4:
            return Int(fields[3]).flatMap { self.time(fields[1], fields[2], year: $0, clock: fields[4]) }
        // Sunday, 06-Nov-94 08:49:37 GMT
        case 4 where fields[0].hasSuffix(",") && fields[3] == "GMT":
            let day = fields[1].split(separator: "-").map(String.init)
            guard day.count == 3, day[2].count == 2, let year = Int(day[2]), year >= 0 else { return nil }
            return self.time(day[0], day[1], shortYear: year, clock: fields[2], now: now)
        // Sun Nov  6 08:49:37 1994
        case 5 where fields[4].count == 4:
            return Int(fields[4]).flatMap { self.time(fields[2], fields[1], year: $0, clock: fields[3]) }
        default: return nil
        }
    }

    /// Completes a year of two digits: one that seems to lie more than 50 years ahead is in the past (RFC 9110 section
    /// 5.6.7).
    private static func time(
        _ day: String,
        _ month: String,
        shortYear: Int,
        clock: String,
        now: Timestamp
    ) -> Timestamp? {
        let fiftyYears: Duration = .seconds(50 * 365.2425 * 86_400)
        for century in stride(from: 2900, through: 1900, by: -100) {
            guard let time = self.time(day, month, year: century + shortYear, clock: clock) else { continue }
            if time.duration(since: now) <= fiftyYears { return time }
        }
        return nil
    }

    private static func time(_ day: String, _ month: String, year: Int, clock: String) -> Timestamp? {
        guard let month = self.months.firstIndex(of: month), let dayOfMonth = Int(day) else { return nil }
        guard let day = CalendarDay(year: year, month: month + 1, day: dayOfMonth) else { return nil }
        let clock = clock.split(separator: ":").compactMap { Int($0) }
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
