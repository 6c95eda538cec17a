import CardModel
import Crypto
import Foundation

/// Seals and unseals everything personal on its way to and from the disk. Each card has its own data key, wrapped by a key
/// outside the sandbox. A value can be unsealed only for its card and column. Values that must be searched (digests, paths,
/// holders) are stored as keyed fingerprints.
struct Vault: Sendable {
    /// The purpose of a fingerprint; fingerprints of different purposes never match.
    enum Purpose: String {
        case source = "source"
        /// The digest of a prepared image.
        case prepared = "prepared"
        /// The absolute path of a file, or an address.
        case location = "place"
        /// The identity number on a front.
        case holder = "holder"
        /// A business number that is erased.
        case number = "number"
        /// The name of a request, and its content.
        case receipt = "receipt"
        /// The terms with which answers are read.
        case terms = "terms"
    }

    let ring: KeyRing
    /// The key that wraps everything in the sandbox, new cards included: a newer key of the ring wraps nothing before
    /// `keys rotate`, so that all cards always need the same key.
    let wrapping: VaultKey
    private let fingerprintKey: SymmetricKey
    private let chainKey: SymmetricKey

    // MARK: The keys of the sandbox

    /// Makes the vault of a new sandbox.
    init(newUnder ring: KeyRing) {
        let keys = SymmetricKey(size: .bits256).bytes + SymmetricKey(size: .bits256).bytes
        self.init(ring: ring, wrapping: ring.current, keys: keys)
    }

    /// Opens the vault of a sandbox.
    ///
    /// - Throws: `CodedError` `wrong_key` if the ring lacks the key that wraps the sandbox's keys, `sandbox_damaged` if these were
    ///   changed.
    init(ring: KeyRing, keyID: String, sealedKeys: Data) throws {
        guard let key = ring.key(keyID) else { throw CodedError(.wrongKey, .configuration, .vaultWrongKey(keyID)) }
        let keys = try key.unwrap(sealedKeys, of: "store", column: .storeKeys)
        guard keys.count == 64 else { throw Self.unopenable(.storeKeys) }
        self.init(ring: ring, wrapping: key, keys: keys)
    }

    private init(ring: KeyRing, wrapping: VaultKey, keys: Data) {
        self.ring = ring
        self.wrapping = wrapping
        self.fingerprintKey = SymmetricKey(data: keys.prefix(32))
        self.chainKey = SymmetricKey(data: keys.suffix(32))
    }

    /// Returns the wrapped keys of the sandbox.
    func sealedKeys(under key: VaultKey) throws -> Data {
        try key.wrap(self.fingerprintKey.bytes + self.chainKey.bytes, of: "store", column: .storeKeys)
    }

    // MARK: The keys of cards

    /// Makes and stores the data key of a new card.
    func makeKey(of card: CardID, in tx: Transaction) throws -> CardKey {
        let key = SymmetricKey(size: .bits256)
        let wrapped = try self.wrapping.wrap(key.bytes, of: card.rawValue, column: .cardKey)
        try tx.run("INSERT INTO card_key (card, key_id, wrapped) VALUES (\(card), \(self.wrapping.id), \(wrapped))")
        return CardKey(card: card, key: key)
    }

    /// Unwraps the data key of a card.
    ///
    /// All cards are wrapped with the same key, which was found when the sandbox was opened. So if a card names a key id that the
    /// ring does not have, the card is damaged.
    ///
    /// - Throws: `CodedError` `sandbox_damaged` if the data key cannot be unwrapped.
    func unwrap(_ wrapped: Data, keyID: String, of card: CardID) throws -> CardKey {
        guard let wrapping = self.ring.key(keyID) else { throw CodedError.damaged(.vaultUnopenable("card_key.key_id")) }
        let bytes = try wrapping.unwrap(wrapped, of: card.rawValue, column: .cardKey)
        return CardKey(card: card, key: SymmetricKey(data: bytes))
    }

    /// Wraps the keys of the sandbox and of all cards with another key; data keys that no key unwraps are unchanged.
    func rewrap(with key: VaultKey, in tx: Transaction) throws -> KeyRotation {
        try tx.one("UPDATE store SET key_id = \(key.id), sealed_keys = \(try self.sealedKeys(under: key))")
        var rotation = KeyRotation(keyID: key.id, rewrapped: 0, damaged: 0)
        var last = CardID(rawValue: "")
        while true {
            let rows = try tx.rows(
                "SELECT card, key_id, wrapped FROM card_key WHERE card > \(last) ORDER BY card LIMIT \(Limits.pageSize)"
            ) { row in
                (card: try row.next(CardID.self), id: try row.next(String.self), wrapped: try row.next(Data.self))
            }
            guard let end = rows.last else { return rotation }
            last = end.card
            for row in rows where row.id != key.id {
                guard let card = try? self.unwrap(row.wrapped, keyID: row.id, of: row.card) else {
                    rotation.damaged += 1
                    continue
                }
                let wrapped = try key.wrap(card.key.bytes, of: row.card.rawValue, column: .cardKey)
                try tx.run("UPDATE card_key SET key_id = \(key.id), wrapped = \(wrapped) WHERE card = \(row.card)")
                rotation.rewrapped += 1
            }
        }
    }

    /// Whether another vault has the same keys, so that fingerprints of the two can be compared.
    func isSame(as other: Vault) -> Bool { self.fingerprint(Data(), .source) == other.fingerprint(Data(), .source) }

    // MARK: Fingerprints

    /// Returns the HMAC-SHA256 (RFC 2104) of a value under the key of the sandbox, 32 bytes.
    func fingerprint(_ data: Data, _ purpose: Purpose) -> Data {
        // A zero byte ends the purpose, so that different purposes never give the same input.
        let input = Data(purpose.rawValue.utf8) + [0] + data
        return Data(HMAC<SHA256>.authenticationCode(for: input, using: self.fingerprintKey))
    }

    /// The fingerprint of the holder that a reading of a front names; `nil` without a valid number.
    func holder(in reading: CardReading) -> Data? {
        guard let raw = reading.fields.number?.reveal(), let number = try? IDNumber.parse(raw).get() else { return nil }
        return self.fingerprint(Data(number.reveal().utf8), .holder)
    }

    /// Returns the HMAC-SHA256 of a line of the access log under the chain key, 32 bytes.
    func chainCode(of line: Data) -> Data { Data(HMAC<SHA256>.authenticationCode(for: line, using: self.chainKey)) }

    static func unopenable(_ column: SealedColumn) -> CodedError { .damaged(.vaultUnopenable(column.text)) }
}

/// The data key of one card, which seals and unseals its values.
struct CardKey: Sendable {
    let card: CardID
    fileprivate let key: SymmetricKey

    func seal(_ plaintext: Data, column: SealedColumn) throws -> Data {
        try SealedValue.seal(plaintext, using: self.key, owner: self.card.rawValue, column: column.text)
    }

    /// Unseals a value.
    ///
    /// - Throws: `CodedError` `sandbox_damaged` if the value was not sealed for this card and column.
    func open(_ sealed: Data, column: SealedColumn) throws -> Data {
        guard let value = SealedValue.open(sealed, using: self.key, owner: self.card.rawValue, column: column.text)
        else { throw Vault.unopenable(column) }
        return value
    }

    /// The form of a sealed JSON value, stored as its first byte; an unknown form, of a later version, is refused.
    private static let form: UInt8 = 1

    func seal(json value: some Encodable, column: SealedColumn) throws -> Data {
        try self.seal([Self.form] + JSONEncoder().encode(value), column: column)
    }

    func open<Value: Decodable>(json sealed: Data, as type: Value.Type = Value.self, column: SealedColumn) throws
        -> Value
    {
        let bytes = try self.open(sealed, column: column)
        guard bytes.first == Self.form, let value = try? JSONDecoder().decode(Value.self, from: bytes.dropFirst())
        else { throw Vault.unopenable(column) }
        return value
    }
}

extension VaultKey {
    /// Wraps keys; they can be unwrapped only with this key, for the same owner and column.
    fileprivate func wrap(_ keys: Data, of owner: String, column: SealedColumn) throws -> Data {
        try SealedValue.seal(keys, using: self.key, owner: owner, column: "\(column.text) \(self.id)")
    }

    fileprivate func unwrap(_ wrapped: Data, of owner: String, column: SealedColumn) throws -> Data {
        let name = "\(column.text) \(self.id)"
        guard let keys = SealedValue.open(wrapped, using: self.key, owner: owner, column: name) else {
            throw Vault.unopenable(column)
        }
        return keys
    }
}

extension SymmetricKey {
    fileprivate var bytes: Data { self.withUnsafeBytes { Data($0) } }
}

/// The form of a sealed value: a byte for the version, a nonce of 12 random bytes, the ciphertext, a tag of 16 bytes;
/// AES-256-GCM (NIST SP 800-38D).
///
/// The additional authenticated data names owner, column and version, so that a value can be unsealed only for these. Random
/// nonces are safe for up to 2³² values of a key; both a data key, which seals the few values of a card, and a key-encryption
/// key, which wraps a few keys for each card, stay far below that.
enum SealedValue {
    private static let version: UInt8 = 1
    private static let nonceByteCount = 12
    private static let tagByteCount = 16
    /// The number of bytes by which sealing makes a value longer.
    static let overhead = 1 + Self.nonceByteCount + Self.tagByteCount

    static func seal(_ plaintext: Data, using key: SymmetricKey, owner: String, column: String) throws -> Data {
        let authenticated = Self.authenticatedData(owner: owner, column: column)
        let box = try AES.GCM.seal(plaintext, using: key, authenticating: authenticated)
        // The parts of the box are slices, so this is the only copy; it is needed to put the version byte first.
        var sealed = Data(capacity: plaintext.count + Self.overhead)
        sealed.append(Self.version)
        sealed.append(contentsOf: box.nonce)
        sealed.append(box.ciphertext)
        sealed.append(box.tag)
        return sealed
    }

    /// Unseals a value; `nil` if it was not sealed with this key for this owner and column, or was changed since.
    static func open(_ sealed: Data, using key: SymmetricKey, owner: String, column: String) -> Data? {
        guard sealed.count >= Self.overhead, sealed.first == Self.version,
            let box = try? AES.GCM.SealedBox(combined: sealed.dropFirst())
        else { return nil }
        return try? AES.GCM.open(box, using: key, authenticating: Self.authenticatedData(owner: owner, column: column))
    }

    /// Owners and columns have no zero bytes, so different pairs are never encoded alike.
    private static func authenticatedData(owner: String, column: String) -> [UInt8] {
        Array(owner.utf8) + [0] + Array(column.utf8) + [0, Self.version]
    }
}
