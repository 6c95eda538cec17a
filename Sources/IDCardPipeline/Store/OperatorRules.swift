package import IDCardCore

/// What a person may have done to a card; the same in every store.
package enum OperatorRules {
    /// Where the delivery stands that a card names.
    package enum DeliveryStanding: Sendable {
        /// There is none, or it is closed for good.
        case none
        /// It is kept as it is, so that it can be sent again, and was surely not received.
        case kept
        /// It is kept as it is, and the backend may hold it.
        case keptUnknown

        /// Whether it can be sent again as it is.
        package var canBeSent: Bool { self != .none }
    }

    /// Checks that a card may be done again.
    ///
    /// - Parameters:
    ///   - hasImage: whether its prepared image is there.
    ///   - newerIsDelivered: whether a newer photo of its side and business number is delivered.
    ///   - delivery: where its delivery stands.
    /// - Throws: `StoreError.conflict`, saying what to do instead.
    package static func requireRetry(
        of card: Card,
        hasImage: Bool,
        newerIsDelivered: Bool,
        delivery: DeliveryStanding
    ) throws {
        switch card.state {
        case .rejected, .failed: break
        case .held:
            if delivery == .keptUnknown || card.reason == .outcomeUnknown {
                throw Self.refusal(
                    of: card,
                    "the backend may hold it; look there, then `cards resolve` it as delivered, resend or reject"
                )
            }
        default:
            throw Self.refusal(of: card, "it is \(card.state); only a rejected, failed or held card is done again")
        }
        if newerIsDelivered {
            throw Self.refusal(of: card, "a newer photo of the same side is delivered already")
        }
        if !hasImage {
            throw Self.refusal(of: card, "its image could not be used; take a new photo in instead")
        }
    }

    /// Checks that a card may be resolved.
    ///
    /// - Parameter delivery: where its delivery stands.
    /// - Throws: `StoreError.conflict`, saying what to do instead.
    package static func requireResolution(
        of card: Card,
        as resolution: Resolution,
        delivery: DeliveryStanding
    ) throws {
        guard card.state == .held else {
            throw Self.refusal(of: card, "it is \(card.state); only a held card waits for a decision")
        }
        switch resolution {
        case .reject: break
        case .delivered:
            // Of one that came back from a backup, nobody here knows whether it was sent since.
            let mayBeThere = card.reason == .outcomeUnknown || card.reason == .restored
            guard card.delivery != nil || mayBeThere else {
                throw Self.refusal(of: card, "it was never sent; accept or reject it")
            }
        case .resend:
            guard delivery.canBeSent else {
                throw Self.refusal(
                    of: card,
                    "there is no delivery of it that could be sent again; accept it to send it in a new one"
                )
            }
        case .accept:
            guard !delivery.canBeSent else {
                throw Self.refusal(of: card, "a delivery of it is kept; resolve it as delivered, resend or reject")
            }
            guard card.side != nil else {
                throw Self.refusal(of: card, "the verifier saw neither side on it; reject it")
            }
        }
    }

    /// How a delivery that was kept ends once none of its members is `held` any more.
    package static func endsDelivered(_ members: [CardState]) -> Bool { members.contains(.delivered) }

    private static func refusal(of card: Card, _ why: String) -> StoreError {
        StoreError(.conflict, "card \(card.id) cannot be changed so: \(why); nothing was changed")
    }
}
