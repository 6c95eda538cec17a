import IDCardCore
import IDCardPipeline

/// One card with its history: the same keys as `cards show --format json`. What is personal stands in `fields`, and may
/// stand in `message`, which quotes what remote sides said in their own words: both only where they are asked for.
struct CardDetailsDocument: Encodable {
    struct Event: Encodable {
        let at: String
        let kind: String
        let state: CardState?
        let code: String?
    }

    let card: CardDocument
    let message: String?
    let attempts: Int
    let priority: Int
    let imageBytes: Int?
    let legality: [String: Double]?
    let fields: [String: String]?
    let events: [Event]

    enum CodingKeys: String, CodingKey {
        case card
        case message
        case attempts
        case priority
        case imageBytes = "image_bytes"
        case legality
        case fields
        case events
    }

    init(_ details: CardDetails, reveal: Bool) {
        self.card = CardDocument(details.card)
        self.message = reveal ? details.card.message : nil
        self.attempts = details.card.attempts
        self.priority = details.card.metadata.priority
        self.imageBytes = details.imageByteCount
        self.legality = details.reading?.legality?.scores
        self.fields = reveal ? details.reading.map { Self.revealed($0.fields) } : nil
        self.events = details.events.map {
            Event(at: $0.at.description, kind: $0.kind, state: $0.state, code: $0.code)
        }
    }

    private static func revealed(_ fields: CardFields) -> [String: String] {
        [
            "name": fields.name, "gender": fields.gender, "race": fields.ethnicity, "birthday": fields.birthDate,
            "address": fields.address, "id_card_number": fields.number, "issued_by": fields.issuer,
            "valid_date": fields.validity,
        ]
        .compactMapValues { $0?.reveal() }
    }
}
