package import IDCardCore

/// All that the rules of one business number look at, as of one moment.
package struct ApplicationSnapshot: Hashable, Sendable {
    /// The business number.
    package var businessNumber: BusinessNumber
    /// Its cards by intake order, tombstones left out.
    package var cards: [ApplicationCard]

    /// Describes an application.
    package init(businessNumber: BusinessNumber, cards: [ApplicationCard]) {
        self.businessNumber = businessNumber
        self.cards = cards
    }
}
