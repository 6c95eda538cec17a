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
        /// It is to be sent, but the stage is stopped and nothing is under way; it was surely not received.
        case stopped
        /// The same, and the backend may hold it.
        case stoppedUnknown
        /// It is kept, but a member has left it or was refused: sent again as it is, it would send that one twice.
        case keptApart

        /// Whether it can be sent again as it is.
        package var canBeSent: Bool { self == .kept || self == .keptUnknown || self.isStopped }
        /// Whether it waits for a stage that is stopped.
        package var isStopped: Bool { self == .stopped || self == .stoppedUnknown }
    }

    /// Checks that a card may be done again.
    ///
    /// - Throws: `StoreError.conflict`, saying what to do instead.
    package static func requireRetry(of card: Card, under circumstances: Circumstances) throws {
        switch card.state {
        case .rejected, .failed:
            if card.reason == .rejectedByOperator {
                throw Self.refusal(of: card, "a person rejected it, which stays so; take a new photo in instead")
            }
            if circumstances.mayBeAtBackend {
                // Done again it would go under a new key, by which the backend could not know it again.
                throw Self.refusal(
                    of: card,
                    "the backend may hold it by an earlier attempt; look there, and take a new photo in if it does not"
                )
            }
        case .held, .delivering:
            guard card.state == .held || circumstances.delivery.isStopped else { throw Self.notDoneAgain(card) }
            let isUnknown =
                circumstances.delivery == .keptUnknown || circumstances.delivery == .stoppedUnknown
                || card.reason == .outcomeUnknown
            if isUnknown || circumstances.mayBeAtBackend {
                throw Self.refusal(
                    of: card,
                    "the backend may hold it; look there, then `cards resolve` it as delivered, resend or reject"
                )
            }
        case .superseded where card.reason != .duplicate:
            try Self.requireComeback(of: card, under: circumstances)
        default:
            throw Self.notDoneAgain(card)
        }
        if circumstances.newerIsDelivered {
            throw Self.refusal(of: card, "a newer photo of the same side is delivered already")
        }
        if !circumstances.hasImage, !circumstances.hasSource {
            throw Self.refusal(of: card, "its image could not be used; take a new photo in instead")
        }
    }

    private static func requireComeback(of card: Card, under circumstances: Circumstances) throws {
        if circumstances.isReplaced || card.reason == .replacedBySent {
            throw Self.refusal(of: card, "a newer photo of the same side replaced it")
        }
        guard card.mayComeBack, !circumstances.mayBeAtBackend else {
            throw Self.refusal(of: card, "the backend may hold it; look there, and take a new photo in if it does not")
        }
    }

    private static func notDoneAgain(_ card: Card) -> StoreError {
        self.refusal(
            of: card,
            "it is \(card.state); only a rejected, failed, held or superseded card is done again, or one whose "
                + "delivery is stopped"
        )
    }

    /// Checks that a card may be resolved.
    ///
    /// - Throws: `StoreError.conflict`, saying what to do instead.
    package static func requireResolution(
        of card: Card,
        as resolution: Resolution,
        under circumstances: Circumstances
    ) throws {
        guard card.state == .held || card.state == .delivering && circumstances.delivery.isStopped else {
            throw Self.refusal(
                of: card,
                "it is \(card.state); only a held card waits for a decision, or one whose delivery is stopped"
            )
        }
        switch resolution {
        case .reject: break
        case .delivered:
            // Of one that came back from a backup, nobody here knows whether it was sent since.
            let mayBeThere = card.reason == .outcomeUnknown || card.reason == .restored
            guard card.delivery != nil || mayBeThere || circumstances.mayBeAtBackend else {
                try Self.requireRead(card, under: circumstances)
                throw Self.refusal(of: card, "it was never sent; accept or reject it")
            }
        case .resend:
            try Self.requireResending(of: card, under: circumstances)
        case .accept:
            guard !circumstances.delivery.canBeSent else {
                throw Self.refusal(of: card, "a delivery of it is kept; resolve it as delivered, resend or reject")
            }
            try Self.requireRead(card, under: circumstances)
            guard card.side != nil else {
                throw Self.refusal(of: card, "the verifier saw neither side on it; reject it")
            }
        }
    }

    private static func requireResending(of card: Card, under circumstances: Circumstances) throws {
        guard circumstances.delivery.canBeSent else {
            try Self.requireRead(card, under: circumstances)
            throw Self.refusal(
                of: card,
                circumstances.delivery == .keptApart
                    ? "another card of its delivery has gone its own way and would be sent twice; accept this one to "
                        + "send it in a new delivery if the backend does not hold it"
                    : "there is no delivery of it that could be sent again; accept it to send it in a new one"
            )
        }
        // The older photo would arrive last and replace the newer one.
        if circumstances.newerIsDelivered || circumstances.newerIsDelivering {
            throw Self.refusal(
                of: card,
                "a newer photo of the same side is sent already; resolve it as delivered or reject"
            )
        }
    }

    /// A person must not be led to reject a good card that the verifier has not seen yet.
    private static func requireRead(_ card: Card, under circumstances: Circumstances) throws {
        guard !circumstances.wasRead, circumstances.hasImage || circumstances.hasSource else { return }
        throw Self.refusal(of: card, "it was not verified yet; retry it")
    }

    /// How a delivery that was kept ends once none of its members is `held` any more.
    package static func endsDelivered(_ members: [CardState]) -> Bool { members.contains(.delivered) }

    private static func refusal(of card: Card, _ why: String) -> StoreError {
        StoreError(.conflict, "card \(card.id) cannot be changed so: \(why); nothing was changed")
    }
}
