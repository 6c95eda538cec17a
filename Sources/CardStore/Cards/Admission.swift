package import CardModel
package import Foundation

/// A photo on its way into the store: its image prepared, or refused already.
package struct Admission: Sendable {
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
    package var isOfRequest: Bool
    /// What intake made of it.
    package var content: Content
    /// Until when it waits for the other side; the time of intake for cards of a list.
    package var waitsUntil: Timestamp

    package init(
        id: CardID,
        name: Redacted<String>,
        metadata: CardMetadata,
        submitter: String,
        source: ContentDigest?,
        file: FileIdentity?,
        receipt: Receipt? = nil,
        isOfRequest: Bool = false,
        content: Content,
        waitsUntil: Timestamp
    ) {
        self.id = id
        self.name = name
        self.metadata = metadata
        self.submitter = submitter
        self.source = source
        self.file = file
        self.receipt = receipt
        self.isOfRequest = isOfRequest
        self.content = content
        self.waitsUntil = waitsUntil
    }
}

/// A request says something else of bytes that are there, and their card cannot change any more.
package struct CardUnderway: Error {
    package let card: CardID
    package let state: CardState
}

/// What became of a photo that was to be taken in.
package struct AdmissionOutcome: Hashable, Sendable {
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
}

extension AdmissionOutcome {
    /// Reads the `id, state, reason` of a card that is there.
    init(known row: inout Row) throws {
        self.init(card: try row.next(), state: try row.next(), reason: try row.next(), isDuplicate: true)
    }
}

extension Admission.Content {
    /// The host that is asked for the image.
    var host: String? {
        guard case .remote(_, let host) = self else { return nil }
        return host
    }

    /// In which state a card starts with it; `nil` if there is nothing to start with.
    var start: CardState? {
        switch self {
        case .prepared: .prepared
        case .received: .received
        case .remote: .fetching
        case .refused: nil
        }
    }
}
