import IDCardCore

/// Inputs that the rules know of before they are taken in: a back waits for a front that is still on its way, or that was
/// refused.
package struct IntakeAnnouncement: Sendable {
    /// Notes what came of one of the inputs; each is noted once. Throws `StoreError` if the store fails.
    package let arrived: @Sendable (IntakeItem, InputResult) async throws -> Void

    /// Describes an announcement; by itself nobody hears of it.
    package init(arrived: @escaping @Sendable (IntakeItem, InputResult) async throws -> Void = { _, _ in }) {
        self.arrived = arrived
    }
}
