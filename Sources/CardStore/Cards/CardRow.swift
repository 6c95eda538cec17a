import CardModel
import Foundation

/// A row of `card` with the wrapped key that opens its values.
struct CardRow {
    /// The columns that ``init(_:)`` reads, from `card` and its `card_key`.
    static let columns: SQL = """
        card.id, card.state, card.number, card.submitter, card.side, card.expected_side, card.intake_order, card.priority,
        card.reason, card.remote_code, card.message, card.metadata, card.waits_until, card.due_at, card.worker, card.failures,
        card.tries, card.failed_at, card.blamed_at, card.shrunk, card.accepted, card.without_front, card.alone, card.delivery, card.created_at,
        card.changed_at, card_key.key_id, card_key.wrapped
        """
    static let tables: SQL = "card LEFT JOIN card_key ON card_key.card = card.id"

    let id: CardID
    let state: CardState
    let number: BusinessNumber
    let submitter: String
    let side: CardSide?
    let expectedSide: CardSide?
    let order: Int64
    let priority: Int
    let reason: ReasonCode?
    let remoteCode: String?
    let message: Data?
    let metadata: Data?
    let waitsUntil: Timestamp
    let dueAt: Timestamp?
    let worker: String?
    let history: FailureHistory
    let isShrunk: Bool
    let isAccepted: Bool
    let goesWithoutFront: Bool
    let goesAlone: Bool
    let delivery: DeliveryID?
    let createdAt: Timestamp
    let changedAt: Timestamp
    private let keyID: String?
    private let wrappedKey: Data?

    init(_ row: inout Row) throws {
        self.id = try row.next()
        self.state = try row.next()
        self.number = try row.next()
        self.submitter = try row.next()
        self.side = try row.next()
        self.expectedSide = try row.next()
        self.order = try row.next()
        self.priority = try row.next()
        self.reason = try row.next()
        self.remoteCode = try row.next()
        self.message = try row.next()
        self.metadata = try row.next()
        self.waitsUntil = try row.next()
        self.dueAt = try row.next()
        self.worker = try row.next()
        self.history = try FailureHistory(&row)
        self.isShrunk = try row.next()
        self.isAccepted = try row.next()
        self.goesWithoutFront = try row.next()
        self.goesAlone = try row.next()
        self.delivery = try row.next()
        self.createdAt = try row.next()
        self.changedAt = try row.next()
        self.keyID = try row.next()
        self.wrappedKey = try row.next()
    }

    /// Fetches a card.
    static func fetch(_ id: CardID, in tx: Transaction) throws -> CardRow? {
        try tx.row("SELECT \(Self.columns) FROM \(Self.tables) WHERE card.id = \(id)") { try CardRow(&$0) }
    }

    /// Fetches a card that must be there.
    static func require(_ id: CardID, in tx: Transaction) throws -> CardRow {
        guard let row = try Self.fetch(id, in: tx) else {
            throw CodedError(
                .notFound,
                .notFound,
                "there is no card \(id.rawValue) in the sandbox; list them: idcard-pipeline cards list"
            )
        }
        return row
    }

    /// The key that opens its values.
    func key(_ vault: Vault) throws -> CardKey {
        guard let keyID, let wrappedKey else { throw Vault.unopenable("card_key.wrapped") }
        return try vault.unwrap(wrappedKey, keyID: keyID, of: self.id)
    }

    var hasKey: Bool { self.wrappedKey != nil }

    /// The side that the verifier saw, else the one that its sender named.
    var anySide: CardSide? { self.side ?? self.expectedSide }

    /// The card with its personal values opened; an erased one has none.
    func card(_ vault: Vault) throws -> Card {
        let key = self.state == .erased ? nil : try self.key(vault)
        var card = self.bare
        if let key, let sealed = self.metadata {
            let values = try key.open(json: sealed, as: SealedMetadata.self, column: SealedMetadata.column)
            card.metadata.userNumber = values.userNumber
            card.metadata.expectedIDNumber = values.expectedIDNumber
            card.metadata.expectedName = values.expectedName
        }
        if let key, let message { card.message = try key.open(json: message, column: Self.messageColumn) }
        return card
    }

    /// The card for lists: without its personal values if they do not open, so that one damaged card hides no other.
    func shown(_ vault: Vault) -> Card { (try? self.card(vault)) ?? self.bare }

    private var bare: Card {
        Card(
            id: self.id,
            state: self.state,
            reason: self.reason,
            remoteCode: self.remoteCode,
            message: nil,
            metadata: CardMetadata(businessNumber: self.number, side: self.expectedSide, priority: self.priority),
            submitter: self.submitter,
            side: self.side,
            order: self.order,
            failures: self.history.failures,
            dueAt: self.dueAt,
            waitsUntil: self.waitsUntil,
            isShrunk: self.isShrunk,
            isAccepted: self.isAccepted,
            delivery: self.delivery,
            createdAt: self.createdAt,
            changedAt: self.changedAt
        )
    }

    static let messageColumn = "card.message"
}

/// What its sender said that is personal: one sealed value of a card.
struct SealedMetadata: Codable {
    static let column = "card.metadata"

    var userNumber: Redacted<String>?
    var expectedIDNumber: Redacted<String>?
    var expectedName: Redacted<String>?
    /// The name by which reports speak of the input: a path as a person gave it.
    var inputName: Redacted<String>?

    init(_ metadata: CardMetadata, inputName: Redacted<String>?) {
        self.userNumber = metadata.userNumber
        self.expectedIDNumber = metadata.expectedIDNumber
        self.expectedName = metadata.expectedName
        self.inputName = inputName
    }
}
