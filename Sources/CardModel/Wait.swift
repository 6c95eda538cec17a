/// A wait with both its ends: it holds between them, so a clock that leaves them in either direction ends it.
package struct Wait: Hashable, Sendable {
    package var from: Timestamp
    package var until: Timestamp

    package init(from: Timestamp, until: Timestamp) {
        self.from = from
        self.until = until
    }

    /// Whether nothing has to wait any more.
    package func isOver(at now: Timestamp) -> Bool { now < self.from || now >= self.until }
}
