import CardModel
import CardStore

/// One card with its history, with the keys of `cards show --format json`; what is personal only if asked for: the
/// fields, and the message, which may quote what remote sides said in their own words.
struct CardDetailsDocument: Encodable {
    private struct Event: Encodable {
        let at: String
        let kind: String
        @Nullable var state: CardState?
        @Nullable var code: String?
    }

    private let card: CardDocument
    @Nullable private var message: String?
    private let attempts: Int
    private let priority: Int
    @Nullable private var imageBytes: Int?
    @Nullable private var legality: [String: Double]?
    /// The fields by their FaceID names; `null` unless revealed.
    @Nullable private var fields: [String: String]?
    private let events: [Event]

    init(_ details: CardDetails, reveals: Bool) {
        self.card = CardDocument(details.card)
        self.message = reveals ? details.card.message?.text() : nil
        self.attempts = details.card.failures
        self.priority = details.card.metadata.priority
        self.imageBytes = details.image?.byteCount
        self.legality = details.reading?.legality?.scores
        self.fields = reveals ? details.reading.map { Self.revealed($0.fields) } : nil
        self.events = Self.history(details)
    }

    /// What happened to the card, with the calls to outside services in between.
    private static func history(_ details: CardDetails) -> [Event] {
        var before: CardState?
        let events = details.events.map { event -> (Timestamp, Event) in
            // What a rule says of a card that passes leaves it where it is.
            let kind = event.state == before ? "warning" : event.state.rawValue
            before = event.state
            let code = event.remoteCode ?? event.reason?.rawValue
            return (event.at, Event(at: event.at.description, kind: kind, state: event.state, code: code))
        }
        let attempts = details.attempts.map { attempt -> (Timestamp, Event) in
            let at = attempt.endedAt ?? attempt.startedAt
            let outcome = attempt.failureClass == .accepted ? (attempt.delivery == nil ? "ok" : "accepted") : nil
            let code = attempt.code ?? outcome ?? (attempt.endedAt == nil ? "under way" : nil)
            return (at, Event(at: at.description, kind: "attempt", state: nil, code: code))
        }
        // What an attempt led to stands after it.
        return (attempts + events).sorted { $0.0 < $1.0 }.map(\.1)
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
