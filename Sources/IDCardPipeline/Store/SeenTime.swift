package import IDCardCore

/// The last time that a store saw, and a time far ahead of it that is not believed yet.
///
/// A clock that was wrong once must not erase cards: what was erased does not come back. So retention goes by `last`, which
/// follows the clock, but a jump of more than a week only after the clock has run steadily for 20 hours since, or when a
/// person says that it is right.
package struct SeenTime: Hashable, Sendable {
    /// How far ahead of the last time the clock is believed at once.
    package static let largestStep = Duration.seconds(7 * 86_400)
    /// For how long a clock further ahead must run steadily until it is believed.
    package static let steadyTime = Duration.seconds(20 * 3600)
    /// How far apart two sightings of a steady clock may lie: a monthly run sees it as seldom.
    package static let longestGap = Duration.seconds(32 * 86_400)
    /// A clock that goes back further than this was wrong before.
    package static let smallestStep = Duration.seconds(60)
    /// No wait that the program sets is longer: neither a configured one nor a remote's `Retry-After`.
    package static let longestWait = Duration.seconds(86_400)

    /// The last time that is believed.
    package private(set) var last: Timestamp
    /// Since when and until when a clock was seen that is too far ahead to be believed.
    package private(set) var doubted: ClosedRange<Timestamp>?

    /// Takes what is known.
    package init(last: Timestamp, doubted: ClosedRange<Timestamp>? = nil) {
        self.last = last
        self.doubted = doubted
    }

    /// What the clock said when it was last seen, believed or not.
    package var latest: Timestamp { self.doubted?.upperBound ?? self.last }

    /// Takes note of the time that the clock says.
    package mutating func see(_ now: Timestamp) {
        guard now > self.last.advanced(by: Self.largestStep) else { return self.believe(now) }
        guard let doubted, now >= doubted.upperBound.advanced(by: .zero - Self.smallestStep),
            now <= doubted.upperBound.advanced(by: Self.longestGap)
        else {
            self.doubted = now...now
            return
        }
        self.doubted = doubted.lowerBound...max(doubted.upperBound, now)
        if now >= doubted.lowerBound.advanced(by: Self.steadyTime) { self.believe(now) }
    }

    /// Takes note that the clock is right.
    package mutating func believe(_ now: Timestamp) {
        self.last = now
        self.doubted = nil
    }

    /// Whether a time shows that the clock was ahead when it was last seen, and went back since.
    package func isBehind(_ now: Timestamp) -> Bool {
        now < self.latest.advanced(by: .zero - Self.smallestStep)
    }
}
