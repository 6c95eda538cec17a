import CardModel

/// Reads the `Retry-After` header (RFC 9110 section 10.2.3): seconds, or a date in any of the three forms that
/// recipients must accept (section 5.6.7): IMF-fixdate, RFC 850, asctime.
///
/// Also accepts fractions of seconds, rounded up, and the zones of RFC 5322, since services send them. Any other value counts as
/// missing, so that the caller's own backoff applies.
enum RetryAfter {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    /// The named zones, in hours from UTC (RFC 5322 section 4.3).
    private static let zones = [
        "gmt": 0, "utc": 0, "ut": 0, "z": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6,
        "pst": -8, "pdt": -7,
    ]

    /// Reads the value of a header; `nil` if it is neither a number of seconds nor a date.
    ///
    /// - Parameter now: the time from which the wait until a date is measured.
    /// - Returns: a wait between zero and ``Limits/retryAfter``.
    static func parse(_ value: String, now: Timestamp) -> Duration? {
        let text = value.trimmed
        if let wait = self.seconds(text) { return wait }
        guard let date = self.date(text.lowercased(), now: now) else { return nil }
        return min(max(date.duration(since: now), .zero), Limits.retryAfter)
    }

    private static func seconds(_ text: String) -> Duration? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, whole.utf8.areASCIIDigits, parts.count == 1 || parts[1].utf8.areASCIIDigits
        else { return nil }
        let hasFraction = parts.count == 2 && parts[1].contains { $0 != "0" }
        // A number that is too large for the type means a long wait, too.
        return min(.seconds(Int64(Int32(whole) ?? .max) + (hasFraction ? 1 : 0)), Limits.retryAfter)
    }

    private static func date(_ text: String, now: Timestamp) -> Timestamp? {
        var fields = text.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
        guard fields.count >= 3, Int(fields[0]) == nil else { return nil }
        fields.removeFirst()  // The day of the week is redundant.
        // Sun Nov  6 08:49:37 1994
        if fields.count == 4, let year = self.year(fields[3], now: now), self.months.contains(fields[0]) {
            return self.time(day: fields[1], month: fields[0], year: year, clock: fields[2], zone: "gmt")
        }
        // Sunday, 06-Nov-94 08:49:37 GMT; without the dashes it has the fields of Sun, 06 Nov 1994 08:49:37 GMT.
        fields = fields[0].split(separator: "-").map(String.init) + fields.dropFirst()
        guard fields.count == 5, let year = self.year(fields[2], now: now) else { return nil }
        return self.time(day: fields[0], month: fields[1], year: year, clock: fields[3], zone: fields[4])
    }

    /// Reads a year of four digits, or completes one of two digits to the latest year that is at most 50 years ahead (RFC 9110
    /// section 5.6.7).
    private static func year(_ text: String, now: Timestamp) -> Int? {
        guard let year = Int(text), year >= 0 else { return nil }
        guard text.count == 2 else { return text.count == 4 ? year : nil }
        let present = CalendarDay(daysSinceEpoch: Int(now.millisecondsSinceEpoch / 86_400_000)).year
        let latest = present + 50
        return latest - (latest - year) % 100
    }

    private static func time(day: String, month: String, year: Int, clock: String, zone: String) -> Timestamp? {
        guard let month = self.months.firstIndex(of: month), let dayOfMonth = Int(day), let offset = self.offset(zone),
            let day = CalendarDay(year: year, month: month + 1, day: dayOfMonth)
        else { return nil }
        let clock = clock.split(separator: ":").compactMap { Int($0) }
        // Second 60 is a leap second.
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0...60).contains(clock[2])
        else { return nil }
        let seconds = day.daysSinceEpoch * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2] - offset
        return Timestamp(millisecondsSinceEpoch: Int64(seconds) * 1000)
    }

    /// Returns the offset from UTC in seconds of a zone such as `gmt` or `+0800`.
    private static func offset(_ zone: String) -> Int? {
        if let hours = self.zones[zone] { return hours * 3600 }
        guard zone.count == 5, let sign = zone.first, "+-".contains(sign), zone.dropFirst().utf8.areASCIIDigits,
            let number = Int(zone.dropFirst()), number % 100 < 60
        else { return nil }
        return (sign == "-" ? -1 : 1) * (number / 100 * 3600 + number % 100 * 60)
    }
}
