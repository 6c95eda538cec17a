import CardModel
import Crypto
import Foundation

/// Everything personal passes here on its way to and from the disk.
///
/// Each card has a data key of its own, wrapped by a key that lies outside the sandbox; a value opens in its own place only.
/// What must be searched (digests, paths, holders) is stored as a keyed fingerprint.
struct Vault: Sendable {
    /// What a fingerprint is for; those of different purposes never match.
    enum Purpose: String {
        /// The digest of source bytes.
        case source
        /// The digest of a prepared image.
        case prepared
        /// The absolute path of a file, or an address.
        case place
        /// The identity number on a front.
        case holder
        /// The name of a request, and what it said.
        case receipt
    }

    let ring: KeyRing
    /// The key that wraps everything in the sandbox. A newer one wraps nothing before `keys rotate`, so that no card ever needs
    /// another key than the sandbox itself.
    let wrapping: VaultKey
    private let fingerprintKey: SymmetricKey
    private let chainKey: SymmetricKey

    // MARK: The keys of the sandbox

    /// Makes the keys of a new sandbox and stores them wrapped.
    static func create(under ring: KeyRing) throws -> Data {
        let keys = SymmetricKey(size: .bits256).bytes + SymmetricKey(size: .bits256).bytes
        return try SealedValue.seal(
            keys,
            using: ring.current.key,
            owner: "store",
            column: Self.storeColumn(ring.current.id)
        )
    }

    /// Opens the vault of a sandbox.
    ///
    /// - Throws: `CodedError` `wrong_key` if the ring does not hold the key that wraps it, `sandbox_damaged` if it was changed.
    init(ring: KeyRing, keyID: String, sealedKeys: Data) throws {
        guard let key = ring.key(keyID) else { throw Self.wrongKey(keyID) }
        let column = Self.storeColumn(keyID)
        guard let keys = SealedValue.open(sealedKeys, using: key.key, owner: "store", column: column), keys.count == 64
        else { throw Self.unopenable("store.sealed_keys") }
        self.ring = ring
        self.wrapping = key
        self.fingerprintKey = SymmetricKey(data: keys.prefix(32))
        self.chainKey = SymmetricKey(data: keys.suffix(32))
    }

    private static func storeColumn(_ keyID: String) -> String { "store.sealed_keys \(keyID)" }

    // MARK: The keys of cards

    /// Makes the data key of a new card; its first value is sealed with it in the same transaction.
    func makeKey(of card: CardID, in tx: Transaction) throws -> CardKey {
        let key = SymmetricKey(size: .bits256)
        let wrapped = try Self.wrap(key, of: card, with: self.wrapping)
        try tx.run("INSERT INTO card_key (card, key_id, wrapped) VALUES (\(card), \(self.wrapping.id), \(wrapped))")
        return CardKey(card: card, key: key)
    }

    private static func wrap(_ key: SymmetricKey, of card: CardID, with wrapping: VaultKey) throws -> Data {
        try SealedValue.seal(
            key.bytes,
            using: wrapping.key,
            owner: card.rawValue,
            column: self.keyColumn(wrapping.id)
        )
    }

    /// Opens the wrapped data key of a card.
    ///
    /// All cards need the key of the sandbox, so a name that no key of the ring has is damage of this card.
    ///
    /// - Throws: `CodedError` `sandbox_damaged` if it does not open.
    func unwrap(_ wrapped: Data, keyID: String, of card: CardID) throws -> CardKey {
        guard let wrapping = self.ring.key(keyID) else { throw Self.unopenable("card_key.key_id") }
        let column = Self.keyColumn(keyID)
        guard let bytes = SealedValue.open(wrapped, using: wrapping.key, owner: card.rawValue, column: column) else {
            throw Self.unopenable("card_key.wrapped")
        }
        return CardKey(card: card, key: SymmetricKey(data: bytes))
    }

    /// Wraps the keys of the sandbox and of all its cards with another key; those that no key opens stay as they are.
    func rewrap(with key: VaultKey, in tx: Transaction) throws -> KeyRotation {
        let keys = self.fingerprintKey.bytes + self.chainKey.bytes
        let sealed = try SealedValue.seal(keys, using: key.key, owner: "store", column: Self.storeColumn(key.id))
        try tx.one("UPDATE store SET key_id = \(key.id), sealed_keys = \(sealed)")
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
                let wrapped = try Self.wrap(card.key, of: row.card, with: key)
                try tx.run("UPDATE card_key SET key_id = \(key.id), wrapped = \(wrapped) WHERE card = \(row.card)")
                rotation.rewrapped += 1
            }
        }
    }

    /// Whether another vault has the same keys, so that what is fingerprinted in one is known in the other.
    func isSame(as other: Vault) -> Bool {
        self.fingerprint(Data(), .source) == other.fingerprint(Data(), .source)
    }

    private static func keyColumn(_ keyID: String) -> String { "card_key.wrapped \(keyID)" }

    // MARK: Fingerprints

    /// Returns the HMAC-SHA256 (RFC 2104) of a value under the key of the sandbox, 32 bytes.
    func fingerprint(_ data: Data, _ purpose: Purpose) -> Data {
        // A zero byte ends the purpose, so that no two purposes share an input.
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(purpose.rawValue.utf8) + [0] + data,
            using: self.fingerprintKey
        )
        return Data(code)
    }

    /// The fingerprint of the holder that a reading of a front names; `nil` without a valid number, which names nobody.
    func holder(in reading: CardReading) -> Data? {
        guard let raw = reading.fields.number?.reveal(), let number = try? IDNumber.parse(raw).get() else { return nil }
        return self.fingerprint(Data(number.reveal().utf8), .holder)
    }

    /// Returns the HMAC-SHA256 of a line of the access log under the chain key, 32 bytes.
    func chainCode(of line: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: line, using: self.chainKey))
    }

    // MARK: Errors

    static func wrongKey(_ id: String) -> CodedError { CodedError(.wrongKey, .configuration, .vaultWrongKey(id)) }

    static func unopenable(_ column: String) -> CodedError { .damaged(.vaultUnopenable(column)) }
}

/// The data key of one card, with which its values are sealed and opened.
struct CardKey: Sendable {
    let card: CardID
    fileprivate let key: SymmetricKey

    /// Returns what is stored in place of a value.
    func seal(_ plaintext: Data, column: String) throws -> Data {
        try SealedValue.seal(plaintext, using: self.key, owner: self.card.rawValue, column: column)
    }

    /// Returns a value from what is stored.
    ///
    /// - Throws: `CodedError` `sandbox_damaged` if it was not sealed for this place.
    func open(_ sealed: Data, column: String) throws -> Data {
        guard let value = SealedValue.open(sealed, using: self.key, owner: self.card.rawValue, column: column) else {
            throw Vault.unopenable(column)
        }
        return value
    }

    /// The form of a sealed JSON value, its first byte: one of a later program is not guessed at.
    private static let form: UInt8 = 1

    func seal(json value: some Encodable, column: String) throws -> Data {
        try self.seal([Self.form] + JSONEncoder().encode(value), column: column)
    }

    func open<Value: Decodable>(json sealed: Data, as type: Value.Type = Value.self, column: String) throws -> Value {
        let bytes = try self.open(sealed, column: column)
        guard bytes.first == Self.form, let value = try? JSONDecoder().decode(Value.self, from: bytes.dropFirst())
        else { throw Vault.unopenable(column) }
        return value
    }
}

extension SymmetricKey {
    fileprivate var bytes: Data { self.withUnsafeBytes { Data($0) } }
}
