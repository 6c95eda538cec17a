/// A wait with both its ends: it holds between them, so a clock that leaves them in either direction ends it.
package struct Wait: Hashable, Sendable {
    /// When it was set.
    package var from: Timestamp
    /// When it is over.
    package var until: Timestamp

    /// Makes a wait.
    package init(from: Timestamp, until: Timestamp) {
        self.from = from
        self.until = until
    }

    /// Whether nothing has to wait any more.
    package func isOver(at now: Timestamp) -> Bool { now < self.from || now >= self.until }
}
