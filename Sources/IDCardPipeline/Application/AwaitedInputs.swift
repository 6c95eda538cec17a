package import IDCardCore

/// How many inputs of a business number are on their way to become cards, and how many were refused without one: what a
/// back that has no front must know.
package struct AwaitedInputs: Hashable, Sendable {
    /// Inputs that a living process is still to take in.
    package var expected: Int
    /// Inputs that a living process refused, and that may be a front.
    package var refused: Int
    /// Inputs that a process which has ended was to take in.
    package var abandonedExpected: Int
    /// Inputs that a process which has ended refused.
    package var abandonedRefused: Int
    /// When the last of the processes that have ended last said that it lived; `nil` if there is none.
    package var abandonedAt: Timestamp?

    /// Describes the inputs of a business number; by default there are none.
    package init(
        expected: Int = 0,
        refused: Int = 0,
        abandonedExpected: Int = 0,
        abandonedRefused: Int = 0,
        abandonedAt: Timestamp? = nil
    ) {
        self.expected = expected
        self.refused = refused
        self.abandonedExpected = abandonedExpected
        self.abandonedRefused = abandonedRefused
        self.abandonedAt = abandonedAt
    }

    /// Whether nothing is awaited.
    package var isEmpty: Bool { self == AwaitedInputs() }

    /// Counts inputs in.
    ///
    /// - Parameters:
    ///   - isRefused: whether they were refused; else they are still expected.
    ///   - lastHeartbeat: when their process, which has ended, last said that it lived; `nil` if it lives.
    package mutating func add(_ count: Int, isRefused: Bool, lastHeartbeat: Timestamp?) {
        switch (isRefused, lastHeartbeat) {
        case (false, nil): self.expected += count
        case (true, nil): self.refused += count
        case (false, _?): self.abandonedExpected += count
        case (true, _?): self.abandonedRefused += count
        }
        if let lastHeartbeat { self.abandonedAt = max(lastHeartbeat, self.abandonedAt ?? lastHeartbeat) }
    }
}
