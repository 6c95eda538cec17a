/// A card as stored in the sandbox.
package struct Card: Hashable, Sendable {
    package var id: CardID
    package var state: CardState
    /// The reason for its state, or for its wait.
    package var reason: ReasonCode?
    /// The remote's own code, where its answer decided; never one of ours.
    package var remoteCode: String?
    /// The reason in a sentence.
    package var message: Message?
    /// The submitter's metadata.
    package var metadata: CardMetadata
    /// The submitter: a token's or webhook secret's name, or `local`.
    package var submitter: String
    /// The side that the verifier saw.
    package var side: CardSide?
    /// Its position among all inputs.
    package var order: Int64
    /// The time its photo was taken, if that counts.
    package var taken: Timestamp?
    /// Failures that count towards the most attempts of its stage.
    package var failures = 0
    /// The period until it is due again.
    package var due: Wait?
    /// The end of its wait for the other side.
    package var waitsUntil: Timestamp
    /// Whether its image was made smaller because the verifier refused its size.
    package var isShrunk = false
    /// Whether a person accepted it.
    package var isAccepted = false
    /// The delivery it is, or was last, a member of.
    package var delivery: DeliveryID?
    /// The time it was admitted.
    package var createdAt: Timestamp
    /// The time its state last changed.
    package var changedAt: Timestamp
    /// Whether a person marked it as seen, so that it no longer counts; reset when its state changes.
    package var isSeen = false
    /// Whether a later photo of its number and side was delivered.
    package var isRetaken = false
    /// Whether a person let this back be sent although no front of its number was delivered.
    package var goesWithoutFront = false
    /// Whether it is sent in a delivery of its own, because a delivery of several cards was refused as a whole.
    package var isSplit = false

    /// Creates a card with the required values.
    package init(
        id: CardID,
        state: CardState,
        metadata: CardMetadata,
        submitter: String,
        order: Int64,
        taken: Timestamp? = nil,
        waitsUntil: Timestamp,
        createdAt: Timestamp,
        changedAt: Timestamp
    ) {
        (self.id, self.state, self.metadata, self.submitter) = (id, state, metadata, submitter)
        (self.order, self.taken, self.waitsUntil, self.createdAt) = (order, taken, waitsUntil, createdAt)
        self.changedAt = changedAt
    }
}

extension Card {
    /// The side that the verifier saw, else the side that its submitter named.
    package var anySide: CardSide? { self.side ?? self.metadata.side }

    /// Its wait for the other side; over at once for cards of a list.
    package var wait: Wait { Wait(from: self.createdAt, until: self.waitsUntil) }

    /// The reason as people and scripts see it: the remote's own code where its answer decided.
    package var shownReason: String? {
        self.reason == .refusedByRemote ? self.remoteCode ?? self.reason?.rawValue : self.reason?.rawValue
    }
}

// As lists on the command line and over HTTP show it, without personal values.
extension Card: Encodable {
    private enum CodingKeys: CodingKey {
        case cardID, businessNo, side, state, reason, createdAt, changedAt
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.id, forKey: .cardID)
        try container.encode(self.metadata.businessNumber, forKey: .businessNo)
        try container.encode(self.anySide, forKey: .side)
        try container.encode(self.state, forKey: .state)
        try container.encode(self.shownReason, forKey: .reason)
        try container.encode(self.createdAt.description, forKey: .createdAt)
        try container.encode(self.changedAt.description, forKey: .changedAt)
    }

    /// The line for people: id, state, side, business number, reason.
    ///
    /// - Parameter id: a shorter id, which JSON never has.
    package func text(as id: String? = nil) -> String {
        let state = self.state.rawValue.padded(to: 10)
        let side = (self.anySide?.rawValue ?? "-").padded(to: 5)
        return "\(id ?? self.id.rawValue)  \(state)  \(side)  \(self.metadata.businessNumber)"
            + (self.shownReason.map { "  \($0)" } ?? "")
    }
}

/// A decision of a person about a card.
package enum Resolution: String, CaseIterable, Sendable, Codable {
    /// The backend holds the document: becomes `delivered`.
    case delivered = "delivered"
    /// The same delivery is sent again, byte for byte, with all its members that are still `held`.
    case resend = "resend"
    /// The backend lacks the document: it is sent again as a new one, under another key.
    case anew = "anew"
    /// The card is good: becomes `verified`, and is delivered as usual.
    case accept = "accept"
    /// The photo goes back to its submitter: becomes `rejected`, with a reason that the submitter sees.
    case retake = "retake"
    /// The card must not be delivered: becomes `rejected`, and ends its case unless another photo of its side is there.
    case reject = "reject"
    /// Of several persons that the fronts of a case name, the card's is the customer.
    case holder = "holder"
    /// A person has seen it: the card keeps its state, and no longer counts in lists, `status` and exit statuses.
    case seen = "seen"
    /// Withdraws a decision that waits for a second person.
    case withdraw = "withdraw"
    /// Ends another person's decision that waits for a second one.
    case disagree = "disagree"
}
