package import Foundation

/// A point in wall-clock time, in whole milliseconds since 1970-01-01T00:00:00Z: what the sandbox stores.
package struct Timestamp: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// Milliseconds since the epoch.
    package let millisecondsSinceEpoch: Int64

    /// Takes milliseconds since the epoch.
    package init(millisecondsSinceEpoch: Int64) {
        self.millisecondsSinceEpoch = millisecondsSinceEpoch
    }

    /// Takes a Foundation date.
    package init(_ date: Date) {
        self.millisecondsSinceEpoch = Int64((date.timeIntervalSince1970 * 1000).rounded())
    }

    /// The same time as a Foundation date.
    package var date: Date {
        Date(timeIntervalSince1970: Double(self.millisecondsSinceEpoch) / 1000)
    }

    /// Returns the time that lies a duration later.
    package func advanced(by duration: Duration) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: self.millisecondsSinceEpoch + duration.wholeMilliseconds)
    }

    /// Returns how long after `other` this time lies; negative if before.
    package func duration(since other: Timestamp) -> Duration {
        .milliseconds(self.millisecondsSinceEpoch - other.millisecondsSinceEpoch)
    }

    package static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
        lhs.millisecondsSinceEpoch < rhs.millisecondsSinceEpoch
    }

    /// The time in ISO 8601, UTC, with milliseconds.
    package var description: String {
        self.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension Duration {
    /// The duration in whole milliseconds, rounded towards zero.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// The duration in seconds.
    package var inSeconds: Double {
        let (seconds, attoseconds) = self.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
