import NIOCore

/// How long nothing may happen on a connection while a request is under way.
struct IdleLimits: Sendable {
    /// While the body is being sent; `nil` waits as long as the deadline allows.
    let write: TimeAmount?
    /// Once the request is sent; `nil` likewise.
    let read: TimeAmount?

    /// How often it is looked: often enough to be a quarter late at most, `nil` if there is no limit.
    var tick: TimeAmount? {
        let limits = [self.write, self.read].compactMap { $0 }.map(\.nanoseconds)
        return limits.min().map { .nanoseconds(min(max($0 / 4, 5_000_000), 1_000_000_000)) }
    }
}
