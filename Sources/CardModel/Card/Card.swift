/// A card as stored in the sandbox.
package struct Card: Hashable, Sendable {
    package var id: CardID
    package var state: CardState
    /// The reason for the card's state, or for its wait.
    package var reason: ReasonCode?
    /// The code that the verifier or backend gave, if its answer decided the state; never one of our own codes.
    package var remoteCode: String?
    /// The reason in a sentence.
    package var message: Message?
    /// The submitter's metadata.
    package var metadata: CardMetadata
    /// The submitter: a token's or webhook secret's name, or `local`.
    package var submitter: String
    /// The side that the verifier saw.
    package var side: CardSide?
    /// The position of the card among all inputs.
    package var order: Int64
    /// The time the photo was taken, if that time decides which of two photos is newer.
    package var taken: Timestamp?
    /// The failed attempts that count towards the maximum of the current stage.
    package var failures = 0
    /// The wait until the card is due again.
    package var due: Wait?
    /// The end of the wait for the other side of the card.
    package var waitsUntil: Timestamp
    /// Whether the image was made smaller because the verifier refused the size.
    package var isShrunk = false
    /// Whether a person accepted it.
    package var isAccepted = false
    /// The delivery that the card is in, or was in last.
    package var delivery: DeliveryID?
    /// The time the card was admitted.
    package var createdAt: Timestamp
    /// The time its state last changed.
    package var changedAt: Timestamp
    /// Whether a person marked the card as seen, so that it no longer needs attention; reset when the state changes.
    package var isSeen = false
    /// Whether a later photo of the same number and side was delivered.
    package var isRetaken = false
    /// Whether a person let this back be sent although no front of its number was delivered.
    package var goesWithoutFront = false
    /// Whether the card is sent in a delivery of its own, because a delivery of several cards was refused as a whole.
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

    /// The wait for the other side; it has no length for cards of a list.
    package var wait: Wait { Wait(from: self.createdAt, until: self.waitsUntil) }

    /// The reason as people and scripts see it: the remote's own code where its answer decided.
    package var shownReason: String? {
        self.reason == .refusedByRemote ? self.remoteCode ?? self.reason?.rawValue : self.reason?.rawValue
    }
}

// The JSON of a card in lists, on the command line and over HTTP: without personal values.
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
    /// - Parameter id: a shortened id to show instead of the whole one; JSON always has the whole one.
    package func text(as id: String? = nil) -> String {
        let state = self.state.rawValue.padded(to: 10)
        let side = (self.anySide?.rawValue ?? "-").padded(to: 5)
        return "\(id ?? self.id.rawValue)  \(state)  \(side)  \(self.metadata.businessNumber)"
            + (self.shownReason.map { "  \($0)" } ?? "")
    }
}

/// A decision of a person about a card.
package enum Resolution: String, CaseIterable, Sendable, Codable {
    /// The backend holds the document: the card becomes `delivered`.
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
