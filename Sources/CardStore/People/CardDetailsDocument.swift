package import CardModel

/// One card with what a decision about it needs, as `cards show` and HTTP give it out; what is personal only if asked for: the
/// fields, what its sender said, and the parts of messages that quote a remote side.
package struct CardDetailsDocument: Encodable, Sendable {
    /// Something that happened, a call to an outside service, or what a person decided.
    package struct Event: Encodable, Sendable {
        package let at: String
        /// The state that the card entered, `warning`, `attempt`, `decision`, or `look`: somebody saw what is personal.
        package let kind: String
        /// The state after it.
        @Nullable package var state: CardState?
        /// Why, how the call ended, or what kind of decision it was.
        @Nullable package var code: String?
        /// The same in words.
        @InWords package var message: Message?
        /// Who decided, and by which command.
        @Nullable package var actor: String?
        /// Why, in the words of the person who decided.
        @Nullable package var why: String?
    }

    /// Who sent the first card of a business number, and when.
    package struct Owner: Encodable, Sendable {
        package let submitter: String
        /// `nil` if no card of that sender is left.
        @Nullable package var since: String?
    }

    /// What a sender said that is personal.
    package struct Submitted: Encodable, Sendable {
        /// The name of the input as a person gave it.
        @Nullable package var inputName: String?
        @Nullable package var userNo: String?
        @Nullable package var expectedIDNumber: String?
        @Nullable package var expectedName: String?

        fileprivate init(_ details: CardDetails) {
            self.inputName = details.inputName?.reveal()
            self.userNo = details.card.metadata.userNumber?.reveal()
            self.expectedIDNumber = details.card.metadata.expectedIDNumber?.reveal()
            self.expectedName = details.card.metadata.expectedName?.reveal()
        }
    }

    /// The card as lists show it.
    package let card: CardDocument
    /// Why it stands where it stands, in words.
    @InWords package var message: Message?
    package let submitter: String
    /// Who sent the first card of its number, if that was another sender and the reader may see all cards.
    @Nullable package var numberOwner: Owner?
    /// Which of the persons that the fronts of its case name, counted from 1; `nil` if all name one.
    @Nullable package var person: Int?
    package let comparedWith: [CardID]
    /// The other cards of its case, in the order of their import.
    package let caseCards: [CaseCardDocument]
    /// How often it has failed.
    package let attempts: Int
    /// When it is attempted next by itself, if a time is set.
    @Nullable package var nextAttemptAt: String?
    /// The `Idempotency-Key` of its last delivery.
    @Nullable package var idempotencyKey: String?
    /// Higher goes first.
    package let priority: Int
    @Nullable package var imageBytes: Int?
    /// When retention deleted that image.
    @Nullable package var imageDroppedAt: String?
    /// The verifier's scores.
    @Nullable package var legality: [String: Double]?
    /// The fields by their FaceID names; `nil` unless revealed.
    @Nullable package var fields: [String: String]?
    /// What its sender said that is personal; `nil` unless revealed.
    @Nullable package var submitted: Submitted?
    /// What happened to it, oldest first.
    package let events: [Event]

    /// Describes a card.
    ///
    /// - Parameter reveals: whether what is personal is shown.
    package init(_ details: CardDetails, reveals: Bool) {
        let others = details.caseCards.filter { $0.card.id != details.card.id }
        self.card = CardDocument(details.card)
        self.message = Self.shown(details.card.message, reveals)
        self.submitter = details.card.submitter
        self.numberOwner = details.owner.map { Owner(submitter: $0.submitter, since: $0.since?.description) }
        self.person = details.caseCards.first { $0.card.id == details.card.id }?.person
        self.comparedWith = details.comparedWith
        self.caseCards = others.map(CaseCardDocument.init)
        self.attempts = details.card.failures
        self.nextAttemptAt = details.nextAttempt?.description
        (self.idempotencyKey, self.priority) = (details.deliveryKey, details.card.metadata.priority)
        self.imageBytes = details.imageBytes
        self.imageDroppedAt = details.imageDroppedAt?.description
        self.legality = details.reading?.legality?.scores
        self.fields = reveals ? details.reading.map { Self.revealed($0.fields) } : nil
        self.submitted = reveals ? Submitted(details) : nil
        self.events = Self.history(details, reveals)
    }

    private static func shown(_ message: Message?, _ reveals: Bool) -> Message? {
        reveals ? message : message?.withoutPersonalValues
    }

    /// What happened to the card, with the calls to outside services and the decisions in between.
    private static func history(_ details: CardDetails, _ reveals: Bool) -> [Event] {
        var before: CardState?
        let events = details.events.map { event in
            // What a rule says of a card that passes leaves it where it is.
            let kind = event.state == before ? "warning" : event.state.rawValue
            before = event.state
            let code = event.remoteCode ?? event.reason?.rawValue
            let message = Self.shown(event.message, reveals)
            return Event(at: event.at.description, kind: kind, state: event.state, code: code, message: message)
        }
        let attempts = details.attempts.map { attempt in
            let at = attempt.endedAt ?? attempt.startedAt
            let outcome = attempt.failureClass == .accepted ? (attempt.delivery == nil ? "ok" : "accepted") : nil
            let code = attempt.code ?? outcome ?? (attempt.endedAt == nil ? "under way" : nil)
            return Event(at: at.description, kind: "attempt", code: code)
        }
        let decisions = details.decisions.map { line in
            let isLook = AccessAction.looks.contains { $0.rawValue == line.action }
            return Event(
                at: line.at,
                kind: isLook ? "look" : "decision",
                code: line.action,
                actor: line.actor,
                why: line.purpose
            )
        }
        // What an attempt or a decision led to stands after it.
        return (attempts + decisions + events).sorted { $0.at < $1.at }
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
