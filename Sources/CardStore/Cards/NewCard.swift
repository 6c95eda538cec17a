package import CardModel
package import Foundation

/// A photo on its way into the store: its image prepared, or refused already.
package struct NewCard: Sendable {
    /// What intake made of the source bytes.
    package enum Content: Sendable {
        /// The card starts as `prepared`.
        case prepared(PreparedImage)
        /// Source bytes that are to be durable before they are prepared: the card starts as `received`.
        case received(Data)
        /// An image that is still to be fetched from an address, and the host that is asked, if our rules allow one: the card
        /// starts as `fetching`.
        case remote(Redacted<String>, host: String? = nil)
        /// The image cannot be used: the card starts, and ends, as `rejected`.
        case refused(CodedError)

        /// Where a card starts with it.
        var start: Transition {
            switch self {
            case .prepared: Transition(.prepared)
            case .received: Transition(.received)
            case .remote: Transition(.fetching)
            case .refused(let error): Transition(.rejected, error.code, error.message)
            }
        }
    }

    /// The identifier of the card, if it is new.
    package var id: CardID
    /// The name by which reports speak of the input.
    package var name: Redacted<String>
    /// What the sender said.
    package var metadata: CardMetadata
    /// Who sends it.
    package var submitter: String
    /// The SHA-256 of the source bytes: with the business number, what makes two inputs the same card; `nil` until they are
    /// fetched, and then the address makes them the same.
    package var source: ContentDigest?
    /// The file it came from, if any.
    package var file: FileIdentity?
    /// The name of the request that brought it, if it has one.
    package var receipt: Receipt?
    /// Whether a request brought it, which is refused as a whole if a card of the same bytes cannot take over what it says.
    package var isOfRequest = false
    /// What intake made of it.
    package var content: Content
    /// Until when it waits for the other side; the time of intake for cards of a list.
    package var waitsUntil: Timestamp
    /// When it was taken, if that says which of two photos is newer.
    package var taken: Timestamp?

    package init(
        id: CardID,
        name: Redacted<String>,
        metadata: CardMetadata,
        submitter: String,
        source: ContentDigest?,
        file: FileIdentity?,
        content: Content,
        waitsUntil: Timestamp
    ) {
        (self.id, self.name, self.metadata, self.submitter) = (id, name, metadata, submitter)
        (self.source, self.file, self.content, self.waitsUntil) = (source, file, content, waitsUntil)
    }
}

/// A request says something else of bytes that are there, and their card cannot change any more.
package struct CardUnderway: Error {
    package let card: CardID
    package let state: CardState
}

/// What became of a photo that was to be taken in.
package struct Admitted: Hashable, Sendable {
    /// The card: the new one, or the one that holds the same bytes under the same number.
    package var card: CardID
    /// Where it stands now.
    package var state: CardState
    /// Why it stands there.
    package var reason: ReasonCode?
    /// Whether it was there already.
    package var isDuplicate: Bool
    /// Whether this very request was answered before, which changes nothing.
    package var isReplay = false
    /// The card that the photo becomes if it was retaken: its address is fetched again.
    package var retake: CardID?

    /// The cards that the photo may be: the first of these that is there.
    package var cards: [CardID] { [self.retake, self.card].compactMap(\.self) }
}

extension Admitted {
    /// A card that is there, as it stands.
    init(known row: CardRow) { self.init(card: row.id, state: row.state, reason: row.reason, isDuplicate: true) }

    /// Reads the `id, state, reason` of a card that is there.
    init(known row: inout Row) throws {
        self.init(card: try row.next(), state: try row.next(), reason: try row.next(), isDuplicate: true)
    }
}

/// The name that a sender gave to a request, so that the same request sent once more gets the answer of the first.
package struct Receipt: Hashable, Sendable {
    /// Whose names they are; each submitter has names of its own.
    package enum Kind: String, Sendable {
        /// The `Idempotency-Key` of a request.
        case idempotencyKey = "idempotencyKey"
        /// The `webhook-id` of a message.
        case webhook = "webhook"
    }

    /// Whose name it is.
    package var kind: Kind
    package var name: String
    /// A digest of all that the request says.
    package var request: ContentDigest
    /// Which photo of the request it is for.
    package var place: Int

    package init(kind: Kind, name: String, request: ContentDigest, place: Int = 0) {
        (self.kind, self.name, self.request, self.place) = (kind, name, request, place)
    }
}

// A receipt is an input whose place is the name of the request.
extension CardStore {
    /// Returns what became of a request that was answered before.
    ///
    /// - Throws: `request_reused` if the name was used for another request.
    func outcome(of receipt: Receipt, from submitter: String, in tx: Transaction) throws -> Admitted? {
        try tx.row(
            """
            SELECT card.id, card.state, card.reason, input.request FROM input JOIN card ON card.id = input.card
            WHERE input.location = \(self.place(of: receipt, from: submitter)) AND input.part = \(receipt.place)
            """
        ) { row in
            var outcome = try Admitted(known: &row)
            outcome.isReplay = true
            guard try row.next(Data?.self) == self.fingerprint(of: receipt) else {
                throw CodedError(.requestReused, .conflict, .cardRequestReused)
            }
            return outcome
        }
    }

    func remember(_ receipt: Receipt, of photo: NewCard, as card: CardID, in tx: Transaction) throws {
        try tx.run(
            """
            INSERT INTO input (location, number, part, card, request)
            VALUES (\(self.place(of: receipt, from: photo.submitter)), \(photo.metadata.businessNumber), \(receipt.place),
            \(card), \(self.fingerprint(of: receipt)))
            """
        )
    }

    private func place(of receipt: Receipt, from submitter: String) -> Data {
        self.vault.fingerprint(Data("\(receipt.kind.rawValue)\0\(submitter)\0\(receipt.name)".utf8), .receipt)
    }

    /// Keyed, as it depends on what is personal.
    private func fingerprint(of receipt: Receipt) -> Data { self.vault.fingerprint(receipt.request.bytes, .receipt) }
}
