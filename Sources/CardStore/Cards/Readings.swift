import CardModel
import Foundation

/// A reading with what it was made of; one sealed value of a card.
struct StoredReading: Codable {
    static let column = "blob.reading"

    let key: ReadingKey
    let reading: CardReading
}

// What the verifier read, stored with its card: a restart does not pay twice.
extension CardStore {
    func put(_ reading: StoredReading, of card: CardID, key: CardKey, in tx: Transaction) throws {
        let sealed = try key.seal(json: reading, column: StoredReading.column)
        try self.put(sealed, as: "reading", of: card, in: tx)
    }

    /// Returns what is stored of a card's reading.
    func reading(of row: CardRow, in tx: Transaction) throws -> StoredReading? {
        guard let sealed = try self.sealed("reading", of: row.id, in: tx) else { return nil }
        return try row.key(self.vault).open(json: sealed, column: StoredReading.column)
    }
}
