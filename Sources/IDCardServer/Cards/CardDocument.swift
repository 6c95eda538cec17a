import IDCardCore
import IDCardPipeline

/// One card as lists show it: the same keys as `cards list --format json`.
struct CardDocument: Encodable {
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
}
