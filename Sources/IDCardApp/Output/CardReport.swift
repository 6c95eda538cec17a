import IDCardCore
import IDCardPipeline

/// One card as `cards show` shows it; what is personal only if asked for: the fields, and the message, which may quote
/// what remote sides said in their own words.
struct CardReport: Encodable {
    struct Event: Encodable {
        let at: String
        let kind: String
        let state: CardState?
        let code: String?
    }

    let card: CardLine
    let message: String?
    let attempts: Int
    let priority: Int
    let imageBytes: Int?
    let legality: [String: Double]?
    /// The fields by their FaceID names; absent unless revealed.
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
        self.card = CardLine(details.card)
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

    /// For people.
    var lines: [String] {
        var lines = [self.card.text]
        if let message = self.message { lines.append("  \(message)") }
        lines.append("  attempts \(self.attempts), priority \(self.priority), image \(self.imageBytes ?? 0) bytes")
        if let legality = self.legality {
            let scores = legality.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            lines.append("  legality: \(scores.joined(separator: ", "))")
        }
        for (name, value) in (self.fields ?? [:]).sorted(by: { $0.key < $1.key }) {
            lines.append("  \(name): \(value)")
        }
        for event in self.events {
            // Most events are named by the state they lead to.
            let state = event.state.map { $0.rawValue == event.kind ? "" : " → \($0.rawValue)" } ?? ""
            let code = event.code.map { " (\($0))" } ?? ""
            lines.append("  \(event.at) \(event.kind)\(state)\(code)")
        }
        return lines
    }
}
