package import CardModel

/// One card with what a decision about it needs, as `cards show` and HTTP write it. Personal values only if requested: the
/// fields, the submitter's statements, and the parts of messages that quote a remote side.
package struct CardDetailsDocument: Encodable, Sendable {
    /// Something that happened, a call to an outside service, or a person's decision.
    package struct Event: Encodable, Sendable {
        package let at: String
        /// The state that the card entered, `warning`, `attempt`, `decision`, or `look`: a person saw personal values.
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

    /// The submitter of the first card of a business number, and since when.
    package struct Owner: Encodable, Sendable {
        package let submitter: String
        /// `nil` if no card of that submitter is left.
        @Nullable package var since: String?
    }

    /// The personal values that a submitter stated.
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
    /// Why it is in its state, in words.
    @InWords package var message: Message?
    package let submitter: String
    /// The submitter of the first card of its number, if that is another one and the reader may see all cards.
    @Nullable package var numberOwner: Owner?
    /// The number, from 1, of its person among those that the fronts of its case name; `nil` if all name one.
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
    /// The personal values that its submitter stated; `nil` unless revealed.
    @Nullable package var submitted: Submitted?
    /// What happened to it, oldest first.
    package let events: [Event]

    /// Describes a card.
    ///
    /// - Parameter reveals: whether personal values are shown.
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
            // The warning of a rule does not change the state of the card.
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
        // The sort is stable: an event comes after the attempt or decision that led to it.
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
