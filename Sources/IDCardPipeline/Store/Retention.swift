package import IDCardCore

/// How long cards may stay in the states in which nothing more happens by itself, before they are erased.
package struct Retention: Hashable, Sendable {
    /// The limits by state; a state without one keeps its cards.
    package private(set) var limits: [CardState: Duration] = [:]

    /// Keeps everything.
    package init() {}

    /// Sets the limit of a state; `nil` and zero keep its cards.
    ///
    /// - Precondition: the pipeline itself does not move a card on from the state.
    package mutating func limit(_ state: CardState, to duration: Duration?) {
        precondition(!state.isRunnable && state != .erased, "a card that is \(state) has work left to be done")
        self.limits[state] = duration.flatMap { $0 > .zero ? $0 : nil }
    }

    /// Whether a card that entered a state at a time has been in it for longer than its limit.
    package func isOver(for state: CardState, since time: Timestamp, now: Timestamp) -> Bool {
        self.limits[state].map { time.advanced(by: $0) <= now } ?? false
    }

    /// Whether everything is kept.
    package var isEmpty: Bool { self.limits.isEmpty }
}
