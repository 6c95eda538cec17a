import CardModel
import Foundation

/// The address of an image, and its version when its first bytes came; one sealed value of a card.
struct SealedAddress: Codable {
    var address: Redacted<String>
    var version: FetchedVersion?

    private enum CodingKeys: String, CodingKey {
        case address = "address"
        case version = "version"
    }
}

// The source bytes of cards that are not prepared yet, in sealed pieces, and the addresses they come from.
extension CardRecords {
    /// Stores source bytes of a card in pieces that are unsealed one at a time; deletes older pieces that they overlap.
    func putSource(_ bytes: Data, at offset: Int, of card: CardID, key: CardKey, in tx: Transaction) throws {
        try tx.run(
            """
            DELETE FROM blob WHERE card = \(card) AND kind = \(BlobKind.source) AND start < \(Int64(offset + bytes.count))
            AND start + length(bytes) - \(SealedValue.overhead) > \(Int64(offset))
            """
        )
        for start in stride(from: 0, to: bytes.count, by: Limits.pieceSize) {
            let piece = Data(bytes.dropFirst(start).prefix(Limits.pieceSize))
            // A piece is sealed for its offset: pieces cannot be exchanged.
            let sealed = try key.seal(piece, column: .source(offset + start))
            try tx.run(
                """
                INSERT INTO blob (card, kind, start, bytes)
                VALUES (\(card), \(BlobKind.source), \(offset + start), \(sealed))
                """
            )
        }
    }

    /// - Throws: `stored_image_unreadable` if a piece is missing or damaged.
    func source(of card: CardID, key: CardKey, in tx: Transaction) throws -> Data {
        var source = Data()
        try tx.forEach(
            "SELECT start, bytes FROM blob WHERE card = \(card) AND kind = \(BlobKind.source) ORDER BY start"
        ) { row in
            let (start, sealed) = (try row.next(Int.self), try row.next(Data.self))
            guard start == source.count, let bytes = try? key.open(sealed, column: .source(start))
            else { throw Self.unreadable }
            source.append(bytes)
        }
        guard !source.isEmpty else { throw Self.unreadable }
        return source
    }

    /// The ranges of a card's source bytes that are stored.
    ///
    /// - Throws: `stored_image_unreadable` if a piece is not a sealed value, or has a negative offset.
    func sourceRanges(of card: CardID, in tx: Transaction) throws -> [Range<Int>] {
        let pieces = try tx.rows(
            "SELECT start, length(bytes) FROM blob WHERE card = \(card) AND kind = \(BlobKind.source) ORDER BY start"
        ) { row in
            let (start, length) = (try row.next(Int.self), try row.next(Int.self))
            guard start >= 0, length > SealedValue.overhead else { throw Self.unreadable }
            return start..<(start + length - SealedValue.overhead)
        }
        return Array(RangeSet(pieces).ranges)
    }

    /// Deletes the source of a card: its prepared image replaces it, or it cannot be used.
    func dropSource(of card: CardID, in tx: Transaction) throws {
        try tx.run("DELETE FROM blob WHERE card = \(card) AND kind IN \(list: [BlobKind.source, .address])")
    }

    func putAddress(_ address: SealedAddress, of card: CardID, key: CardKey, in tx: Transaction) throws {
        let sealed = try key.seal(json: address, column: .address)
        try self.putSealed(sealed, as: .address, of: card, in: tx)
    }

    func address(of card: CardID, key: CardKey, in tx: Transaction) throws -> SealedAddress {
        guard let sealed = try self.sealed(.address, of: card, in: tx) else { throw Self.unreadable }
        return try key.open(json: sealed, column: .address)
    }

    /// The state in which a card starts by its stored values; `nil` if there are none.
    func start(of card: CardID, in tx: Transaction) throws -> CardState? {
        let kinds = try tx.values("SELECT DISTINCT kind FROM blob WHERE card = \(card)", as: BlobKind.self)
        if kinds.contains(.image) { return .prepared }
        // While a card is fetched, its address is stored beside the bytes that have come.
        if kinds.contains(.address) { return .fetching }
        return kinds.contains(.source) ? .received : nil
    }

}
