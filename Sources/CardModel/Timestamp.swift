package import Foundation

/// A point in wall-clock time, in whole milliseconds since 1970-01-01T00:00:00Z: what the sandbox stores.
package struct Timestamp: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    package let millisecondsSinceEpoch: Int64

    private enum CodingKeys: String, CodingKey {
        case millisecondsSinceEpoch = "millisecondsSinceEpoch"
    }

    /// The date of this release, updated with each one: a clock that shows an earlier time is wrong.
    package static let programDate = Timestamp(millisecondsSinceEpoch: 1_793_491_200_000)

    package init(millisecondsSinceEpoch: Int64) { self.millisecondsSinceEpoch = millisecondsSinceEpoch }

    package init(_ date: Date) {
        self.millisecondsSinceEpoch = Int64((date.timeIntervalSince1970 * 1000).rounded())
    }

    /// Creates a time from that of a file, in whole seconds. A file can have any time, so this is clamped to the years 1
    /// to 9999: sums cannot overflow.
    package init(ofFile time: timespec) {
        self.millisecondsSinceEpoch = min(max(Int64(time.tv_sec), -62_135_596_800), 253_402_300_799) * 1000
    }

    package var date: Date { Date(timeIntervalSince1970: Double(self.millisecondsSinceEpoch) / 1000) }

    package func advanced(by duration: Duration) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: self.millisecondsSinceEpoch + duration.wholeMilliseconds)
    }

    /// Returns the duration from `other` to this time; negative if this time is earlier.
    package func duration(since other: Timestamp) -> Duration {
        .milliseconds(self.millisecondsSinceEpoch - other.millisecondsSinceEpoch)
    }

    package static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
        lhs.millisecondsSinceEpoch < rhs.millisecondsSinceEpoch
    }

    /// The time in ISO 8601, UTC, with milliseconds.
    package var description: String {
        // Formatted by hand: Foundation formats a Double of seconds, which sometimes loses a millisecond.
        let day = CalendarDay(daysSinceEpoch: Int(self.millisecondsSinceEpoch.flooredQuotient(by: 86_400_000)))
        let timeOfDay = self.millisecondsSinceEpoch - Int64(day.daysSinceEpoch) * 86_400_000
        let clock = [timeOfDay / 3_600_000, timeOfDay / 60_000 % 60, timeOfDay / 1000 % 60].map {
            Self.padded($0, to: 2)
        }
        let date = [Self.padded(day.year, to: 4), Self.padded(day.month, to: 2), Self.padded(day.day, to: 2)]
        let milliseconds = Self.padded(timeOfDay % 1000, to: 3)
        return date.joined(separator: "-") + "T" + clock.joined(separator: ":") + ".\(milliseconds)Z"
    }
}

/// A time that JSON writes in UTC; `null` if there is none.
@propertyWrapper
package struct UTC<Time: TimestampOrNone>: Encodable, Sendable {
    package var wrappedValue: Time

    package init(wrappedValue: Time) { self.wrappedValue = wrappedValue }

    package func encode(to encoder: any Encoder) throws { try self.wrappedValue.utcText.encode(to: encoder) }
}

/// A ``Timestamp``, or one that may be missing.
package protocol TimestampOrNone: Sendable { var utcText: String? { get } }

extension Timestamp?: TimestampOrNone { package var utcText: String? { self?.description } }

extension Timestamp: TimestampOrNone {
    package var utcText: String? { self.description }

    /// The time as a person reads it: in the zone of this machine, with its offset, such as `2026-11-27 23:47:41 +08:00`.
    package var local: String {
        var seconds = time_t(self.millisecondsSinceEpoch.flooredQuotient(by: 1000))
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return self.description }
        let offset = Int32(parts.tm_gmtoff.magnitude / 60)
        // Each number of two digits with the character before it; -1 stands for no number. Formatted by hand, for speed: a
        // list has a hundred thousand times.
        let pieces: [(Unicode.Scalar?, Int32)] = [
            (nil, (parts.tm_year + 1900) / 100), (nil, parts.tm_year % 100), ("-", parts.tm_mon + 1),
            ("-", parts.tm_mday), (" ", parts.tm_hour), (":", parts.tm_min), (":", parts.tm_sec), (" ", -1),
            (parts.tm_gmtoff < 0 ? "-" : "+", offset / 60), (":", offset % 60),
        ]
        var text: [UInt8] = []
        for (sign, number) in pieces {
            if let sign { text.append(UInt8(ascii: sign)) }
            if number >= 0 { text += [UInt8(48 + number / 10 % 10), UInt8(48 + number % 10)] }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func padded(_ number: some BinaryInteger, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded towards zero.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    package var inSeconds: Double {
        let (seconds, attoseconds) = self.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}

/// A wait with start and end.
package struct Wait: Hashable, Sendable {
    package var from: Timestamp
    package var until: Timestamp

    package init(from: Timestamp, until: Timestamp) {
        self.from = from
        self.until = until
    }

    /// Whether the end has passed, or the clock is further before the start than the wait is long. The clock was then far ahead
    /// when the wait began, so its stored end is wrong. A small correction ends no wait.
    package func isOver(at now: Timestamp) -> Bool {
        now >= self.until || now < self.from.advanced(by: .zero - self.until.duration(since: self.from))
    }
}
