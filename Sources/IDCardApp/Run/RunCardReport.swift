import IDCardCore

/// What a run says about one input: an element of `cards` in `--format json`, a line in `--format jsonl`.
struct RunCardReport: Hashable, Sendable, Encodable {
    /// The card, if there is one.
    var cardID: CardID?
    /// The input as the user named it.
    var source: String
    /// Its business number, if known.
    var businessNumber: String?
    /// The side the verifier saw, else the side given.
    var side: CardSide?
    /// The card's state; `rejected` for inputs refused without a card, `ignored` for files that are not images.
    var state: String
    /// Why, as a stable code.
    var reason: String?
    /// Why, for a person.
    var message: String?
    /// The card that was there before, if this input is its duplicate.
    var duplicateOf: CardID?

    enum CodingKeys: String, CodingKey {
        case cardID = "card_id"
        case source
        case businessNumber = "business_no"
        case side
        case state
        case reason
        case message
        case duplicateOf = "duplicate_of"
    }

    /// Writes every key, `null` where there is nothing, so that readers need not test for presence.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.cardID, forKey: .cardID)
        try container.encode(self.source, forKey: .source)
        try container.encode(self.businessNumber, forKey: .businessNumber)
        try container.encode(self.side, forKey: .side)
        try container.encode(self.state, forKey: .state)
        try container.encode(self.reason, forKey: .reason)
        try container.encode(self.message, forKey: .message)
        try container.encode(self.duplicateOf, forKey: .duplicateOf)
    }
}
