package import CardModel
package import Foundation

/// A photo to admit, with what intake made of it.
@dynamicMemberLookup
package struct NewCard: Sendable {
    /// What intake made of the source bytes.
    package enum Content: Sendable {
        /// The card starts as `prepared`.
        case prepared(PreparedImage)
        /// Source bytes that must be durable before they are prepared: the card starts as `received`.
        case received(Data)
        /// The address of an image to fetch, and the host that is asked, if our rules allow one: the card starts as
        /// `fetching`.
        case remote(Redacted<String>, host: String? = nil)
        /// The image cannot be used: the card starts, and ends, as `rejected`.
        case refused(CodedError)

        /// The transition to the first state of a card with it.
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
    package var photo: Photo
    /// The owner of the card.
    package var submitter: String
    /// Who sent it: the name of a token or a webhook secret, or `local` for lists and watched folders.
    package var sentBy: String
    /// The SHA-256 of the source bytes: inputs of one business number with the same bytes are the same card. `nil` until they are
    /// fetched: then inputs with the same address are.
    package var source: ContentDigest?
    /// What intake made of it.
    package var content: Content
    /// Until when it waits for the other side; the time of intake for cards of a list.
    package var waitsUntil: Timestamp
    /// When the photo was taken, if that says which of two photos is newer.
    package var taken: Timestamp?
    /// Whether a request brought it: it is refused as a whole if its metadata cannot amend the card of the same bytes.
    package var isOfRequest = false

    package init(
        id: CardID,
        photo: Photo,
        submitter: String,
        sentBy: String? = nil,
        source: ContentDigest?,
        content: Content,
        waitsUntil: Timestamp
    ) {
        (self.id, self.photo, self.submitter, self.sentBy) = (id, photo, submitter, sentBy ?? submitter)
        (self.source, self.content, self.waitsUntil) = (source, content, waitsUntil)
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<Photo, Value>) -> Value {
        get { self.photo[keyPath: path] }
        set { self.photo[keyPath: path] = newValue }
    }
}

/// An error: a request has other metadata for known bytes, and their card can no longer change.
package struct CardUnderway: Error {
    package let card: CardID
    package let state: CardState
}

/// The result of admitting a photo.
package struct Admitted: Hashable, Sendable {
    /// The card: the new one, or the one that holds the same bytes under the same number.
    package var card: CardID
    /// Its current state.
    package var state: CardState
    /// Why it is in that state.
    package var reason: ReasonCode?
    /// Whether it was there already.
    package var isDuplicate: Bool
    /// Whether this very request was answered before; then nothing changes.
    package var isReplay = false
    /// The card that fetches the address again, and that the photo becomes if it was retaken.
    package var retake: CardID?

    /// The cards that the photo may be: the first one that exists.
    package var cards: [CardID] { [self.retake, self.card].compactMap(\.self) }
}

extension Admitted {
    /// Describes an existing card as it is.
    init(known row: CardRow) { self.init(card: row.id, state: row.state, reason: row.reason, isDuplicate: true) }

    /// Reads the `id, state, reason` of an existing card.
    init(known row: inout Row) throws {
        self.init(card: try row.next(), state: try row.next(), reason: try row.next(), isDuplicate: true)
    }
}

// A receipt is a row of `input` whose location is the fingerprint of the request's name.
extension SandboxIntake {
    /// Returns the outcome of a request that was answered before.
    ///
    /// - Throws: `request_reused` if the name was used for another request.
    func outcome(of receipt: Receipt, from sender: String, in tx: Transaction) throws -> Admitted? {
        try tx.row(
            """
            SELECT card.id, card.state, card.reason, input.request FROM input JOIN card ON card.id = input.card
            WHERE input.location = \(self.location(of: receipt, from: sender)) AND input.part = \(receipt.index)
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
            VALUES (\(self.location(of: receipt, from: photo.sentBy)), \(photo.metadata.businessNumber), \(receipt.index),
            \(card), \(self.fingerprint(of: receipt)))
            """
        )
    }

    private func location(of receipt: Receipt, from sender: String) -> Data {
        self.vault.fingerprint(Data("\(receipt.kind.rawValue)\0\(sender)\0\(receipt.name)".utf8), .receipt)
    }

    /// Keyed, as it depends on personal values.
    private func fingerprint(of receipt: Receipt) -> Data { self.vault.fingerprint(receipt.request.bytes, .receipt) }
}
