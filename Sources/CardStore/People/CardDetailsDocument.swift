package import CardModel

/// One card with its history, as `cards show` and HTTP give it out; what is personal only if asked for: the fields, and
/// the message, which may quote what remote sides said in their own words.
package struct CardDetailsDocument: Encodable, Sendable {
    /// Something that happened, or a call to an outside service.
    package struct Event: Encodable, Sendable {
        package let at: String
        /// The state that the card entered, `warning` or `attempt`.
        package let kind: String
        /// The state after it.
        @Nullable package var state: CardState?
        /// Why, or how the call ended.
        @Nullable package var code: String?
    }

    /// The card as lists show it.
    package let card: CardDocument
    /// Why it stands where it stands, in words.
    @Nullable package var message: String?
    /// How often it has failed.
    package let attempts: Int
    /// Higher goes first.
    package let priority: Int
    /// The bytes of the prepared image.
    @Nullable package var imageBytes: Int?
    /// The verifier's scores.
    @Nullable package var legality: [String: Double]?
    /// The fields by their FaceID names; `nil` unless revealed.
    @Nullable package var fields: [String: String]?
    /// What happened to it, oldest first.
    package let events: [Event]

    /// Describes a card.
    ///
    /// - Parameter reveals: whether what is personal is shown.
    package init(_ details: CardDetails, reveals: Bool) {
        self.card = CardDocument(details.card)
        self.attempts = details.card.failures
        self.priority = details.card.metadata.priority
        self.events = Self.history(details)
        self.message = reveals ? details.card.message?.text() : nil
        self.imageBytes = details.image?.byteCount
        self.legality = details.reading?.legality?.scores
        self.fields = reveals ? details.reading.map { Self.revealed($0.fields) } : nil
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
