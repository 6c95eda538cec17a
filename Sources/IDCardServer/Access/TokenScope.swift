/// What the bearer of a token may do.
package enum TokenScope: String, CaseIterable, Sendable, Codable, Comparable {
    /// Send cards in, and start runs.
    case submit
    /// Look at cards and runs without what is personal, and at the figures.
    case read
    /// Decide: retry, resolve, erase; and reveal what is personal.
    case operate

    package static func < (lhs: TokenScope, rhs: TokenScope) -> Bool { lhs.rawValue < rhs.rawValue }
}
