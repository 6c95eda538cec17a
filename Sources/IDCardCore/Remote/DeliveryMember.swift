/// A card as the form layouts see it.
package struct DeliveryMember: Hashable, Sendable {
    /// The card.
    package var card: CardID
    /// Its side.
    package var side: CardSide
    /// Its business number.
    package var businessNumber: BusinessNumber
    /// The user account it is uploaded for; `nil` takes the configured one.
    package var userNumber: Redacted<String>?

    /// Describes a member.
    package init(card: CardID, side: CardSide, businessNumber: BusinessNumber, userNumber: Redacted<String>?) {
        self.card = card
        self.side = side
        self.businessNumber = businessNumber
        self.userNumber = userNumber
    }
}
