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
        try tx.run(
            """
            INSERT INTO blob (card, kind, start, bytes) VALUES (\(card), 'reading', 0, \(sealed))
            ON CONFLICT (card, kind, start) DO UPDATE SET bytes = excluded.bytes
            """
        )
    }

    /// Returns what is stored of a card's reading.
    func reading(of row: CardRow, in tx: Transaction) throws -> StoredReading? {
        let sealed: Data? = try tx.value(
            "SELECT bytes FROM blob WHERE card = \(row.id) AND kind = 'reading' AND start = 0"
        )
        guard let sealed else { return nil }
        let key = try row.key(self.vault)
        return try key.open(json: sealed, column: StoredReading.column)
    }
}
