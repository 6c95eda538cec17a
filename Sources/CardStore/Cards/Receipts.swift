package import CardModel
import Foundation

/// The name that a sender gave to a request, so that the same request sent once more gets the answer of the first.
package struct Receipt: Hashable, Sendable {
    /// Whose names they are; each submitter has names of its own.
    package enum Kind: String, Sendable {
        /// The `Idempotency-Key` of a request.
        case idempotencyKey
        /// The `webhook-id` of a message.
        case webhook
    }

    /// Whose name it is.
    package var kind: Kind
    package var name: String
    /// A digest of all that the request says.
    package var request: ContentDigest
    /// Which photo of the request it is for.
    package var place: Int

    package init(kind: Kind, name: String, request: ContentDigest, place: Int = 0) {
        self.kind = kind
        self.name = name
        self.request = request
        self.place = place
    }
}

// A receipt is an input whose place is the name of the request.
extension CardStore {
    /// Returns what became of a request that was answered before.
    ///
    /// - Throws: `request_reused` if the name was used for another request.
    func outcome(of receipt: Receipt, from submitter: String, in tx: Transaction) throws -> AdmissionOutcome? {
        try tx.row(
            """
            SELECT card.id, card.state, card.reason, input.request FROM input JOIN card ON card.id = input.card
            WHERE input.location = \(self.place(of: receipt, from: submitter)) AND input.part = \(receipt.place)
            """
        ) { row in
            var outcome = try AdmissionOutcome(known: &row)
            outcome.isReplay = true
            guard try row.next(Data?.self) == self.fingerprint(of: receipt) else {
                throw CodedError(.requestReused, .conflict, .cardRequestReused)
            }
            return outcome
        }
    }

    /// Writes down that a request was answered with a card.
    func remember(_ receipt: Receipt, of photo: Admission, as card: CardID, in tx: Transaction) throws {
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
