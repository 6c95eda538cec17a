package import IDCardCore

/// All that the rules of one business number look at, as of one moment.
package struct ApplicationSnapshot: Hashable, Sendable {
    /// The business number.
    package var businessNumber: BusinessNumber
    /// Its cards by intake order, tombstones and superseded ones left out.
    package var cards: [ApplicationCard]
    /// Whether a front was erased undelivered, and none was delivered since; looked up only if `asksForErasedFronts`.
    package var hasErasedFront: Bool
    /// Its inputs that are no cards yet, or were refused.
    package var awaited: AwaitedInputs

    /// Describes an application.
    package init(
        businessNumber: BusinessNumber,
        cards: [ApplicationCard],
        hasErasedFront: Bool = false,
        awaited: AwaitedInputs = AwaitedInputs()
    ) {
        self.businessNumber = businessNumber
        self.cards = cards
        self.hasErasedFront = hasErasedFront
        self.awaited = awaited
    }

    /// Whether it matters that a front was erased: a back is to be decided on, and no front is delivered.
    package var asksForErasedFronts: Bool {
        self.cards.contains { $0.side == .back && $0.state == .verified }
            && !self.cards.contains { $0.side == .front && $0.state == .delivered }
    }
}
