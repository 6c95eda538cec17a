/// Inputs that the rules know of before they are taken in: a back waits for a front that is still on its way, or that was
/// refused.
package struct IntakeAnnouncement: Sendable {
    /// Notes what came of one of the inputs; each is noted once.
    package let arrived: @Sendable (IntakeItem, InputResult) -> Void
    /// Takes back what was announced: none of the inputs comes any more, and those refused do not count any longer.
    package let withdraw: @Sendable () -> Void

    /// Describes an announcement; by itself nobody hears of it.
    package init(
        arrived: @escaping @Sendable (IntakeItem, InputResult) -> Void = { _, _ in },
        withdraw: @escaping @Sendable () -> Void = {}
    ) {
        self.arrived = arrived
        self.withdraw = withdraw
    }
}
