package import CardModel
package import Foundation

/// One card with what a decision about it needs, as `cards show` and HTTP write it. JSON has personal values only if they were
/// asked for: the fields, the submitter's statements, and the parts of messages that quote a remote side.
package struct CardDetails: Encodable, Sendable {
    /// The submitter of the first card of a business number, and since when.
    package struct Owner: Encodable, Sendable {
        package let submitter: String
        /// `nil` if no card of that submitter is left.
        @UTC package internal(set) var since: Timestamp?
    }

    /// The personal values that a submitter stated.
    package struct Submitted: Encodable, Sendable {
        /// The name of the input as a person gave it.
        @Nullable package internal(set) var inputName: String?
        /// The business number as given, if the sandbox has only its digest.
        @Nullable package internal(set) var businessNo: String?
        @Nullable package internal(set) var userNo: String?
        @Nullable package internal(set) var expectedIDNumber: String?
        @Nullable package internal(set) var expectedName: String?
    }

    /// The card; JSON has it as lists do.
    package let card: Card
    /// Why it is in its state, in words.
    @InWords package internal(set) var message: Message?
    package let submitter: String
    /// The submitter of the first card of its number, if that is another one and the reader may see all cards.
    @Nullable package internal(set) var numberOwner: Owner?
    /// The number, from 1, of its person among those that the fronts of its case name; `nil` if all name one.
    @Nullable package internal(set) var person: Int?
    /// The cards that a rule compared it with: front with back, and the fronts that name different persons.
    package let comparedWith: [CardID]
    /// The other cards of its case, in the order of their import.
    package let caseCards: [CaseCard]
    /// How often it has failed.
    package let attempts: Int
    /// When it is attempted next by itself, if a time is set.
    @UTC package internal(set) var nextAttemptAt: Timestamp?
    /// The `Idempotency-Key` of the delivery that it is, or was last, a member of.
    @Nullable package internal(set) var idempotencyKey: String?
    /// Higher goes first.
    package let priority: Int
    /// The size of the prepared image.
    @Nullable package internal(set) var imageBytes: Int?
    /// When retention deleted that image.
    @UTC package internal(set) var imageDroppedAt: Timestamp?
    /// The verifier's scores.
    @Nullable package internal(set) var legality: [String: Double]?
    /// The fields by their FaceID names; `nil` unless revealed.
    @Nullable package internal(set) var fields: [String: String]?
    /// The personal values that its submitter stated; `nil` unless revealed.
    @Nullable package internal(set) var submitted: Submitted?
    /// What happened to it, oldest first; decisions and looks only for a caller who sees all cards.
    package let events: [HistoryEntry]

    // What pages need beside that; JSON never has it.
    /// What the verifier read.
    package let reading: CardReading?
    /// Its last event, which a page that shows it has seen.
    package let lastEvent: Int64
    /// The actions that the caller may not do, with the reason; others are allowed.
    package let actions: [DecisionAction: CodedError]
    /// What rejecting it for good does.
    package let effectOfReject: RejectEffect
    /// Whether the caller has looked at it.
    let looks: SandboxDecisions.Looks
    /// A decision about it that waits for a second person; `nil` for a caller who sees its own cards only.
    package let proposal: Decision?
    /// The bytes of the prepared image, or of the photo as it came; `nil` unless revealed, or if neither can be unsealed.
    package internal(set) var image: Data?

    private enum CodingKeys: CodingKey {
        case card, message, submitter, numberOwner, person, comparedWith, caseCards, attempts, nextAttemptAt,
            idempotencyKey
        case priority, imageBytes, imageDroppedAt, legality, fields, submitted, events
    }

    /// Whether a page must refuse an action until the caller has looked at the card.
    package func lacksLook(for action: DecisionAction) -> Bool {
        action.needsLook(about: self.card) && !self.looks.now && !(self.looks.ever && action.acceptsEarlierLook)
    }

    /// Whether personal values were asked for: the line of that in the access log is durable by then.
    package var isRevealed: Bool { self.submitted != nil }

    /// The content type of ``image``, whatever a submitter called it.
    package var imageType: String {
        let format = self.image.map { ImageFormat.sniff($0.prefix(ImageFormat.signatureByteCount)) }
        return format == .png ? "image/png" : "image/jpeg"
    }
}

extension SandboxListings {
    /// Returns a card for an answer without personal values; to show these, use ``reveal(_:to:now:)``.
    package func details(of id: CardID, for caller: Caller) async throws -> CardDetails {
        try await self.read { tx in
            try self.details(of: self.sandbox.decisions.row(id, for: .show, by: caller, in: tx), for: caller, in: tx)
        }
    }

    /// Shows the personal values of a card to a person; the access log gets a line, also for a refusal.
    ///
    /// - Throws: `not_found`, for another's card too; `scope_missing`; `purpose_personal`.
    package func reveal(_ id: CardID, to origin: AccessOrigin, now: Timestamp) async throws -> CardDetails {
        do {
            return try await self.export(id, as: .reveal, to: origin, now: now)
        } catch let error as CodedError where [.notFound, .scopeMissing].contains(error.code) {
            try await self.sandbox.decisions.logDenied(id, to: origin, now: now)
            throw error
        }
    }

    /// Exports a card, with a line in the access log; skips values that cannot be unsealed.
    ///
    /// - Parameter action: what the line says; it determines the scopes that a caller needs.
    /// - Throws: `not_found`.
    package func export(_ id: CardID, as action: AccessAction = .export, to origin: AccessOrigin, now: Timestamp)
        async throws -> CardDetails
    {
        try await self.write(at: now) { tx in
            var origin = origin
            let row = try self.sandbox.decisions.row(id, for: action, by: &origin, in: tx)
            let last = try row.lastEvent(in: tx)
            try AccessLog.append(action, of: [id], by: origin, event: last, vault: self.vault, in: tx)
            var details = try self.details(of: row, for: origin.caller, reveals: true, in: tx)
            details.image = try? self.storedImage(of: row, in: tx)
            return details
        }
    }

    /// - Parameter caller: the caller; `nil` for the process, which sees all cards.
    private func details(of row: CardRow, for caller: Caller?, reveals: Bool = false, in tx: Transaction) throws
        -> CardDetails
    {
        let (id, seesAll) = (row.id, caller.map { $0.submitter(for: .show) == nil } ?? true)
        // Values that cannot be unsealed are left out: a person must be able to examine a damaged card.
        let key = row.state == .erased ? nil : try? row.key(self.vault)
        let owner: String? = try tx.value("SELECT submitter FROM cases WHERE number = \(row.number)")
        let (card, isOwner) = (row.shown(self.vault), owner == nil || owner == row.submitter)
        // A submitter that does not own the number gets codes only: messages may name cards of others.
        let hasWords = seesAll || isOwner
        var caseCards = try self.caseCards(of: row.number, for: caller, in: tx)
        if !hasWords { caseCards.indices.forEach { caseCards[$0].message = nil } }
        let since = caseCards.filter { $0.submitter == owner }.map(\.card.createdAt).min()
        let reading = key == nil ? nil : (try? self.records.storedReading(of: row, in: tx))?.reading
        return CardDetails(
            card: card,
            message: hasWords ? card.message?.shown(reveals) ?? card.reason?.meaningByPerson : nil,
            submitter: card.submitter,
            numberOwner: seesAll && !isOwner ? owner.map { CardDetails.Owner(submitter: $0, since: since) } : nil,
            person: caseCards.first { $0.card.id == id }?.person,
            comparedWith: Self.compared(with: card, among: caseCards),
            caseCards: caseCards.filter { $0.card.id != id },
            attempts: card.failures,
            nextAttemptAt: try self.nextAttempt(of: row, in: tx),
            idempotencyKey: try tx.value("SELECT key FROM delivery WHERE id = \(row.delivery)"),
            priority: card.metadata.priority,
            imageBytes: try self.records.imageByteCount(of: id, in: tx),
            imageDroppedAt: try tx.value("SELECT image_dropped_at FROM card WHERE id = \(id)"),
            legality: reading?.legality?.scores,
            fields: reveals ? reading?.fields.revealed : nil,
            submitted: reveals ? CardDetails.Submitted(card, self.records.inputName(of: row, key: key)) : nil,
            events: try self.history(of: id, key: hasWords ? key : nil, reveals: reveals, seesAll: seesAll, in: tx),
            reading: reading,
            lastEvent: try row.lastEvent(in: tx),
            actions: try self.sandbox.decisions.actions(for: row, by: caller, in: tx),
            effectOfReject: try self.sandbox.decisions.effectOfReject(row, in: tx),
            looks: try caller.map { try self.sandbox.decisions.looks(of: $0.subject, at: row, in: tx) } ?? .init(),
            proposal: seesAll ? try Decision.about(id, in: tx).flatMap { $0.waitsForSecond ? $0 : nil } : nil
        )
    }

    private static func compared(with card: Card, among caseCards: [CaseCard]) -> [CardID] {
        let own = caseCards.first { $0.card.id == card.id }
        return caseCards.filter { other in
            guard other.card.id != card.id else { return false }
            let isOtherPerson = other.person != nil && other.person != own?.person
            return other.comparedWith == card.id || other.card.id == own?.comparedWith
                || card.reason == .holderConflict && isOtherPerson
        }
        .map(\.card.id)
    }

    private func nextAttempt(of row: CardRow, in tx: Transaction) throws -> Timestamp? {
        switch row.state {
        case .delivering: try tx.value("SELECT due_at FROM delivery WHERE id = \(row.delivery) AND due_at > 0")
        case .verified: try tx.value("SELECT decide_at FROM cases WHERE number = \(row.number) AND decide_at > 0")
        default: row.due?.until
        }
    }

    /// Returns the prepared image, or the source of a photo that is not prepared yet.
    private func storedImage(of row: CardRow, in tx: Transaction) throws -> Data {
        let key = try row.key(self.vault)
        return try self.records.start(of: row.id, in: tx) == .received
            ? self.records.source(of: row.id, key: key, in: tx) : self.records.image(of: row.id, key: key, in: tx).jpeg
    }
}

extension CardDetails.Submitted {
    fileprivate init(_ card: Card, _ inputName: Redacted<String>?) {
        self.inputName = inputName?.reveal()
        self.businessNo = card.metadata.givenNumber?.reveal()
        self.userNo = card.metadata.userNumber?.reveal()
        self.expectedIDNumber = card.metadata.expectedIDNumber?.reveal()
        self.expectedName = card.metadata.expectedName?.reveal()
    }
}

extension CardFields {
    /// The values by their FaceID names.
    fileprivate var revealed: [String: String] {
        [
            "name": self.name, "gender": self.gender, "race": self.ethnicity, "birthday": self.birthDate,
            "address": self.address, "id_card_number": self.number, "issued_by": self.issuer,
            "valid_date": self.validity,
        ]
        .compactMapValues { $0?.reveal() }
    }
}
