import CardModel
import Foundation
import Synchronization

// Prepared images, and cards whose values can no longer be unsealed.
extension CardRecords {
    /// The error for damaged values of a card; most likely the disk is faulty.
    static let unreadable = CodedError(.imageUnreadable, .storage, .cardImageUnreadable)

    /// Returns the value that `open` unseals; `nil` if the value cannot be unsealed. Throws other errors, such as one of the
    /// database, which says nothing about the card.
    static func nilIfUnreadable<Value>(_ open: () throws -> Value?) throws -> Value? {
        do { return try open() } catch let error as CodedError
            where error.code == .imageUnreadable || error.code == .sandboxDamaged
        { return nil }
    }

    /// The size of the width, height and digest that precede the JPEG.
    private static let imageHeaderSize = 8 + 32

    /// Stores the prepared image of a card; replaces an older one.
    func put(_ image: PreparedImage, of card: CardID, key: CardKey, in tx: Transaction) throws {
        var bytes = Data(capacity: image.jpeg.count + Self.imageHeaderSize)
        for edge in [image.width, image.height] {
            withUnsafeBytes(of: UInt32(clamping: edge).bigEndian) { bytes.append(contentsOf: $0) }
        }
        // The digest is sealed with the bytes, so that it need not be computed after unsealing.
        bytes.append(image.digest.bytes)
        bytes.append(image.jpeg)
        let sealed = try key.seal(bytes, column: .image)
        try self.putSealed(sealed, as: .image, of: card, in: tx)
        let prepared = self.vault.fingerprint(image.digest.bytes, .prepared)
        // Keeps the fingerprint of the first image, even if a smaller one replaces it: a copy of the photo is prepared like the
        // first image, and recognised by it.
        try tx.run("UPDATE card SET prepared = \(prepared) WHERE id = \(card) AND prepared IS NULL")
    }

    /// Stores a card's only sealed value of a kind; replaces an older one.
    func putSealed(_ sealed: Data, as kind: BlobKind, of card: CardID, in tx: Transaction) throws {
        try tx.run(
            """
            INSERT INTO blob (card, kind, start, bytes) VALUES (\(card), \(kind), 0, \(sealed))
            ON CONFLICT (card, kind, start) DO UPDATE SET bytes = excluded.bytes
            """
        )
    }

    func sealed(_ kind: BlobKind, of card: CardID, in tx: Transaction) throws -> Data? {
        try tx.value("SELECT bytes FROM blob WHERE card = \(card) AND kind = \(kind) AND start = 0")
    }

    /// - Throws: `stored_image_unreadable` if the image is missing or damaged.
    func image(of card: CardID, key: CardKey, in tx: Transaction) throws -> PreparedImage {
        guard let sealed = try self.sealed(.image, of: card, in: tx),
            let bytes = try? key.open(sealed, column: .image), bytes.count > Self.imageHeaderSize
        else { throw Self.unreadable }
        let edges = stride(from: 0, to: 8, by: 4).map { offset in
            bytes.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
        return PreparedImage(
            jpeg: bytes.dropFirst(Self.imageHeaderSize),
            width: edges[0],
            height: edges[1],
            digest: ContentDigest(stored: Data(bytes.dropFirst(8).prefix(32)))
        )
    }

    /// The size of a card's prepared image in bytes, if there is one.
    func imageByteCount(of card: CardID, in tx: Transaction) throws -> Int? {
        let length: Int? = try tx.value(
            "SELECT length(bytes) FROM blob WHERE card = \(card) AND kind = \(BlobKind.image) AND start = 0"
        )
        return length.map { $0 - Self.imageHeaderSize - SealedValue.overhead }
    }

    /// Unseals a card and its image.
    ///
    /// - Throws: `stored_image_unreadable` if its image, metadata or key is damaged.
    func unseal(_ row: CardRow, in tx: Transaction) throws -> (card: Card, image: PreparedImage) {
        do {
            let card = try row.card(self.vault)
            let cached = self.sandbox.preparedImages.image(of: row.id, isShrunk: row.isShrunk)
            return (card, try cached ?? self.image(of: row.id, key: row.key(self.vault), in: tx))
        } catch let error as CodedError where error.code == .sandboxDamaged {
            throw Self.unreadable
        }
    }

    /// Fails a card that cannot be unsealed: one damaged card must not stop its stage.
    @discardableResult
    func failUnreadable(_ row: CardRow, in tx: Transaction) throws -> CardChange {
        // Clear both fingerprints, so that the same photo can be imported again.
        let also: SQL = ", prepared = NULL, source = NULL"
        return try self.move(row, Transition(.failed, .imageUnreadable, Self.unreadable.message), also: also, in: tx)
    }

    // MARK: Readings, stored so that a restart does not pay for them again

    /// Stores a reading, by which the card is judged from now on; replaces an older one of the same provider and parameters.
    func put(_ reading: CardReading, _ reader: ReadingKey, of card: CardID, key: CardKey, in tx: Transaction) throws {
        let (provider, parameters) = (reader.provider, reader.parameters)
        let stored = StoredReading(image: reader.imageDigest, reading: reading)
        let sealed = try key.seal(json: stored, column: .reading(provider: provider, parameters: parameters))
        try tx.run("DELETE FROM reading WHERE card = \(card) AND provider = \(provider) AND parameters = \(parameters)")
        // The row with the highest id counts as the newest, so the old row is deleted, not updated.
        try tx.run(
            """
            INSERT INTO reading (card, provider, parameters, bytes) VALUES (\(card), \(provider), \(parameters), \(sealed))
            """
        )
    }

    /// Returns the newest reading of a card, by which the card was judged, or the one that `which` selects.
    func storedReading(of row: CardRow, _ which: SQL = "ORDER BY id DESC LIMIT 1", in tx: Transaction) throws
        -> StoredReading?
    {
        let ofCard: SQL = "WHERE card = \(row.id) \(which)"
        let stored = try tx.row("SELECT provider, parameters, bytes FROM reading \(ofCard)") { row in
            let column = SealedColumn.reading(provider: try row.next(), parameters: try row.next())
            return (column, sealed: try row.next(Data.self))
        }
        return try stored.map { column, sealed in try row.key(self.vault).open(json: sealed, column: column) }
    }
}

/// A reading with the digest of the image that was sent; stored as one sealed value.
struct StoredReading: Codable {
    let image: ContentDigest
    let reading: CardReading

    private enum CodingKeys: String, CodingKey {
        case image = "image"
        case reading = "reading"
    }
}

/// A cache of the prepared images that this process has just stored, so that the next stages need not read and unseal them. Each
/// heartbeat drops the images that are older than the previous heartbeat, so that none stays of a card that another process
/// finished or erased.
final class PreparedImageCache: Sendable {
    private struct Key: Hashable {
        let card: CardID
        /// Whether the image is the smaller one that replaced the first.
        let isShrunk: Bool
    }

    private struct State {
        var young: [Key: PreparedImage] = [:]
        /// The images that are dropped next.
        var old: [Key: PreparedImage] = [:]
        var youngByteCount = 0

        /// Drops the old images; the young ones become old.
        mutating func age() {
            self.old = self.young
            (self.young, self.youngByteCount) = ([:], 0)
        }
    }

    private let state = Mutex(State())

    func insert(_ image: PreparedImage, of card: CardID, isShrunk: Bool) {
        self.state.withLock { state in
            state.young[Key(card: card, isShrunk: isShrunk)] = image
            state.youngByteCount += image.jpeg.count
            if state.youngByteCount > Limits.preparedImagesSize / 2 { state.age() }
        }
    }

    /// The cached image of a card, with `isShrunk` as in its row.
    func image(of card: CardID, isShrunk: Bool) -> PreparedImage? {
        let key = Key(card: card, isShrunk: isShrunk)
        return self.state.withLock { $0.young[key] ?? $0.old[key] }
    }

    /// Drops the images of cards that no longer need them.
    func drop(_ cards: [CardID]) {
        let keys = cards.flatMap { card in [false, true].map { Key(card: card, isShrunk: $0) } }
        self.state.withLock { state in
            for key in keys { (state.young[key], state.old[key]) = (nil, nil) }
        }
    }

    /// Drops the old images; the young ones become old.
    func age() { self.state.withLock { $0.age() } }
}

/// The address of an image, and the version that its first bytes had; stored as one sealed value.
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
    /// Stores source bytes of a card in pieces that are unsealed one at a time; deletes the stored pieces that overlap them.
    func putSource(_ bytes: Data, at offset: Int, of card: CardID, key: CardKey, in tx: Transaction) throws {
        try tx.run(
            """
            DELETE FROM blob WHERE card = \(card) AND kind = \(BlobKind.source) AND start < \(Int64(offset + bytes.count))
            AND start + length(bytes) - \(SealedValue.overhead) > \(Int64(offset))
            """
        )
        for start in stride(from: 0, to: bytes.count, by: Limits.pieceSize) {
            let piece = Data(bytes.dropFirst(start).prefix(Limits.pieceSize))
            // A piece is sealed together with its offset, so that pieces cannot be exchanged.
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

    /// Deletes source and address of a card, which has a prepared image now, or whose source cannot be used.
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

    /// The state from which a card can start again, by its stored values; `nil` if it has none.
    func start(of card: CardID, in tx: Transaction) throws -> CardState? {
        let kinds = try tx.values("SELECT DISTINCT kind FROM blob WHERE card = \(card)", as: BlobKind.self)
        if kinds.contains(.image) { return .prepared }
        // While a card is fetched, its address is stored beside the bytes that have come.
        if kinds.contains(.address) { return .fetching }
        return kinds.contains(.source) ? .received : nil
    }

}
