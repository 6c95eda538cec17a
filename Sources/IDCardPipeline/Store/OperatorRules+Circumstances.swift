extension OperatorRules {
    /// What a store knows of a card beside the card itself when a person wants it changed.
    package struct Circumstances: Sendable {
        /// Whether its prepared image is there and nobody works on it.
        package var hasImage: Bool
        /// Whether there is no image yet, but something of which one could be made: source bytes, or their address.
        package var hasSource: Bool
        /// Whether the verifier has read it.
        package var wasRead: Bool
        /// Whether a newer photo of its side and business number is delivered.
        package var newerIsDelivered: Bool
        /// Whether such a photo is being delivered.
        package var newerIsDelivering: Bool
        /// Whether such a photo was delivered, or may still be.
        package var isReplaced: Bool
        /// Whether any delivery it was ever a member of has an attempt whose outcome nobody knows.
        package var mayBeAtBackend: Bool
        /// Where the delivery stands that it names.
        package var delivery: DeliveryStanding

        /// Describes a card as its store sees it.
        package init(
            hasImage: Bool,
            hasSource: Bool = false,
            wasRead: Bool,
            newerIsDelivered: Bool,
            newerIsDelivering: Bool,
            isReplaced: Bool = false,
            mayBeAtBackend: Bool,
            delivery: DeliveryStanding
        ) {
            self.hasImage = hasImage
            self.hasSource = hasSource
            self.wasRead = wasRead
            self.newerIsDelivered = newerIsDelivered
            self.newerIsDelivering = newerIsDelivering
            self.isReplaced = isReplaced
            self.mayBeAtBackend = mayBeAtBackend
            self.delivery = delivery
        }
    }
}
