/// Which of the work that is due is claimed first.
package enum ClaimOrder: Hashable, Sendable {
    /// Highest priority first, then in the order of intake.
    case usual
    /// For a probe: what has not failed since the endpoint last took it, in the usual order; without any, what failed
    /// longest ago.
    case untriedFirst
    /// For a probe: only what has not failed.
    case untriedOnly
}
