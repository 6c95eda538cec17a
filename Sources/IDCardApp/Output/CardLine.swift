import IDCardCore
import IDCardPipeline

/// One card as `cards list` shows it.
struct CardLine: Encodable {
    let cardID: CardID
    let businessNumber: String
    let side: CardSide?
    let state: CardState
    let reason: ReasonCode?
    let createdAt: String
    let changedAt: String

    enum CodingKeys: String, CodingKey {
        case cardID = "card_id"
        case businessNumber = "business_no"
        case side
        case state
        case reason
        case createdAt = "created_at"
        case changedAt = "changed_at"
    }

    init(_ card: Card) {
        self.cardID = card.id
        self.businessNumber = card.metadata.businessNumber.rawValue
        self.side = card.side ?? card.metadata.side
        self.state = card.state
        self.reason = card.reason
        self.createdAt = card.createdAt.description
        self.changedAt = card.changedAt.description
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.cardID, forKey: .cardID)
        try container.encode(self.businessNumber, forKey: .businessNumber)
        try container.encode(self.side, forKey: .side)
        try container.encode(self.state, forKey: .state)
        try container.encode(self.reason, forKey: .reason)
        try container.encode(self.createdAt, forKey: .createdAt)
        try container.encode(self.changedAt, forKey: .changedAt)
    }

    /// For people: id, state, side, business number, reason.
    var text: String {
        let side = self.side?.rawValue ?? "-"
        let reason = self.reason.map { "  \($0)" } ?? ""
        return
            "\(self.cardID)  \(self.state.rawValue.padding(to: 10))  \(side.padding(to: 5))  \(self.businessNumber)\(reason)"
    }
}
