import CardModel
import Foundation

/// A row of `card` with the wrapped key that unseals its values.
@dynamicMemberLookup
struct CardRow: Record {
    /// The columns that ``init(_:)`` reads, from `card` and its `card_key`.
    static let columns: SQL = """
        card.id, card.state, card.number, card.expected_side, card.priority, card.submitter, card.intake_order, card.taken, card.waits_until,
        card.created_at, card.changed_at, card.reason, card.remote_code, card.side, card.failures, card.due_from, card.due_at,
        card.shrunk, card.accepted, card.delivery, card.seen, \(Self.isRetaken), card.without_front, card.split, card.message,
        card.metadata, card.worker, card.failures, card.tries, card.failed_at, card.counts_from, card.unreadable, card.beside,
        card_key.key_id, card_key.wrapped
        """
    /// Selects cards with a newer delivered photo of the same number and side. The case stores that photo's age, which outlives
    /// the photo. A rejected photo of unknown side, such as an empty file, counts as retaken once both sides were delivered, and
    /// at least one of them is newer. Once a reviewer has ended the case, every refused or failed card of before counts as retaken.
    static let isRetaken: SQL = """
        EXISTS (
            SELECT 1 FROM cases WHERE cases.number = card.number AND CASE
            WHEN cases.rejected_order >= card.intake_order AND card.state IN \(literals: .rejected, .failed)
                AND card.reason <> \(ReasonCode.rejectedByOperator) THEN TRUE
            ELSE CASE coalesce(card.side, card.expected_side)
            WHEN 'front' THEN \(Self.isOlder(than: "front")) WHEN 'back' THEN \(Self.isOlder(than: "back"))
            ELSE card.state = \(literal: .rejected) AND cases.front_delivered + cases.back_delivered IS NOT NULL
                AND (\(Self.isOlder(than: "front")) OR \(Self.isOlder(than: "back"))) END END
        )
        """

    private static func isOlder(than side: SQL) -> SQL {
        PhotoAge.isNewer(PhotoAge.delivered(side, of: "cases"), than: ("card.intake_order", "card.taken"))
    }

    static let tables: SQL = "card LEFT JOIN card_key ON card_key.card = card.id"

    /// The card without its personal values.
    let bare: Card
    let sealedMessage: Data?
    let sealedMetadata: Data?
    let worker: String?
    let history: FailureHistory
    /// Whether the verifier's last answer about this card could not be understood.
    let isUnreadable: Bool
    /// The known card of the same address, while this card is fetched only to see whether the photo there was replaced.
    let beside: CardID?
    private let keyID: String?
    private let wrappedKey: Data?

    init(_ row: inout Row) throws {
        var card = Card(
            id: try row.next(),
            state: try row.next(),
            metadata: CardMetadata(businessNumber: try row.next(), side: try row.next(), priority: try row.next()),
            submitter: try row.next(),
            order: try row.next(),
            taken: try row.next(),
            waitsUntil: try row.next(),
            createdAt: try row.next(),
            changedAt: try row.next()
        )
        (card.reason, card.remoteCode, card.side) = (try row.next(), try row.next(), try row.next())
        (card.failures, card.due) = (try row.next(), try Wait(&row))
        (card.isShrunk, card.isAccepted, card.delivery) = (try row.next(), try row.next(), try row.next())
        (card.isSeen, card.isRetaken) = (try row.next(), try row.next())
        (card.goesWithoutFront, card.isSplit) = (try row.next(), try row.next())
        self.bare = card
        self.sealedMessage = try row.next()
        self.sealedMetadata = try row.next()
        self.worker = try row.next()
        self.history = try FailureHistory(&row)
        self.isUnreadable = try row.next()
        self.beside = try row.next()
        self.keyID = try row.next()
        self.wrappedKey = try row.next()
    }

    subscript<Value>(dynamicMember path: KeyPath<Card, Value>) -> Value { self.bare[keyPath: path] }

    var number: BusinessNumber { self.bare.metadata.businessNumber }
    /// The side that the submitter named.
    var expectedSide: CardSide? { self.bare.metadata.side }

    static func fetch(_ id: CardID, in tx: Transaction) throws -> CardRow? {
        try Self.all("WHERE card.id = \(id)", in: tx).first
    }

    /// Fetches a card that must be there.
    static func require(_ id: CardID, in tx: Transaction) throws -> CardRow {
        guard let row = try Self.fetch(id, in: tx) else { throw Self.missing(id) }
        return row
    }

    static func missing(_ id: CardID) -> CodedError { CodedError(.notFound, .notFound, .cardMissing(id)) }

    func key(_ vault: Vault) throws -> CardKey {
        guard let keyID, let wrappedKey else { throw Vault.unopenable(.cardKey) }
        return try vault.unwrap(wrappedKey, keyID: keyID, of: self.id)
    }

    /// Whether the card comes from a submitter other than `owner`, and was rejected or waits for a person's permission.
    func isForeign(to owner: String) -> Bool {
        self.submitter != owner && (self.state == .held && self.reason == .submitterConflict || self.state == .rejected)
    }

    /// Whether the rules ignore the card. They do so while it waits for a person to let it in, since posting under a number must
    /// not be enough to stop its case; and while it is fetched beside a known card.
    var isIgnored: Bool {
        self.state == .held && self.reason.map(ReasonCode.letInByPerson.contains) == true || self.beside != nil
    }

    /// Whether a submitter may see and change the card: its own, or any for a list or watched folder of this machine.
    func isKnown(to submitter: String, sentBy sender: String) -> Bool {
        self.submitter == submitter || sender == Caller.process.subject
    }

    var hasKey: Bool { self.wrappedKey != nil }

    func lastEvent(in tx: Transaction) throws -> Int64 {
        try tx.value("SELECT max(id) FROM event WHERE card = \(self.id)") ?? 0
    }

    /// The card with its personal values unsealed; an erased card has none.
    func card(_ vault: Vault) throws -> Card {
        let key = self.state == .erased ? nil : try self.key(vault)
        var card = self.bare
        if let key, let sealed = self.sealedMetadata {
            let values = try key.open(json: sealed, as: SealedMetadata.self, column: .cardMetadata)
            card.metadata.userNumber = values.userNumber
            card.metadata.expectedIDNumber = values.expectedIDNumber
            card.metadata.expectedName = values.expectedName
            card.metadata.givenNumber = values.givenNumber
        }
        if let key, let message = self.sealedMessage {
            card.message = try key.open(json: message, column: .cardMessage)
        }
        return card
    }

    /// The card for lists; without personal values if they cannot be unsealed, so that a damaged card does not break the list.
    func shown(_ vault: Vault) -> Card { (try? self.card(vault)) ?? self.bare }
}

/// The personal metadata of a card, as one sealed value.
struct SealedMetadata: Codable {
    var userNumber: Redacted<String>?
    var expectedIDNumber: Redacted<String>?
    var expectedName: Redacted<String>?
    var givenNumber: Redacted<String>?
    /// The name by which reports speak of the input: a path as a person gave it.
    var inputName: Redacted<String>?

    private enum CodingKeys: String, CodingKey {
        case userNumber = "userNumber"
        case expectedIDNumber = "expectedIDNumber"
        case expectedName = "expectedName"
        case givenNumber = "givenNumber"
        case inputName = "inputName"
    }

    init(_ metadata: CardMetadata, inputName: Redacted<String>?) {
        (self.userNumber, self.expectedIDNumber) = (metadata.userNumber, metadata.expectedIDNumber)
        (self.expectedName, self.inputName) = (metadata.expectedName, inputName)
        self.givenNumber = metadata.givenNumber
    }
}
