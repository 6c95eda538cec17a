/// A card as lists show it, in JSON and in text: the command line and HTTP write the same.
package struct CardDocument: Encodable, Sendable {
    /// The card's identifier.
    package let cardID: CardID
    /// Its business number.
    package let businessNumber: String
    /// The side the verifier saw, else the side given.
    package let side: CardSide?
    /// Where it stands.
    package let state: CardState
    /// Why: the remote's own code where its answer decided.
    package let reason: String?
    private let createdAt: Timestamp
    private let changedAt: Timestamp

    private enum CodingKeys: String, CodingKey {
        case cardID = "card_id"
        case businessNumber = "business_no"
        case side
        case state
        case reason
        case createdAt = "created_at"
        case changedAt = "changed_at"
    }

    /// Describes a card.
    package init(_ card: Card) {
        self.cardID = card.id
        self.businessNumber = card.metadata.businessNumber.rawValue
        self.side = card.side ?? card.metadata.side
        self.state = card.state
        self.reason = card.shownReason
        self.createdAt = card.createdAt
        self.changedAt = card.changedAt
    }

    /// Writes every key, `null` where there is nothing, so that readers need not test for presence.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.cardID, forKey: .cardID)
        try container.encode(self.businessNumber, forKey: .businessNumber)
        try container.encode(self.side, forKey: .side)
        try container.encode(self.state, forKey: .state)
        try container.encode(self.reason, forKey: .reason)
        try container.encode(self.createdAt.description, forKey: .createdAt)
        try container.encode(self.changedAt.description, forKey: .changedAt)
    }

    /// For people: id, state, side, business number, reason.
    package var text: String {
        let state = self.state.rawValue.padded(to: 10)
        let side = (self.side?.rawValue ?? "-").padded(to: 5)
        return "\(self.cardID)  \(state)  \(side)  \(self.businessNumber)" + (self.reason.map { "  \($0)" } ?? "")
    }
}

extension Card {
    /// The reason as people and scripts see it: the remote's own code where its answer decided.
    package var shownReason: String? {
        self.reason == .refusedByRemote ? self.remoteCode ?? self.reason?.rawValue : self.reason?.rawValue
    }
}

extension String {
    /// The text filled with spaces on the right up to a width.
    package func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - self.count))
    }
}
