import Crypto
package import Foundation
package import GRDB
import IDCardCore

/// The one door for secrecy: everything personal passes it on its way to and from the disk.
///
/// Every card and every delivery has a data key of its own, wrapped by a key-encryption key that lies outside the sandbox.
/// What must be searched (digests, paths, holders) is stored as a fingerprint, which tells equal from unequal and
/// nothing else.
package struct Vault: Sendable {
    /// How values are kept.
    package enum Mode: String, CaseIterable, Sendable {
        /// As they are; the protection is the mode of the file.
        case none
        /// Sealed under the data key of their card or delivery.
        case encrypted = "aes-256-gcm"
    }

    /// What a fingerprint is for; fingerprints of different purposes never match.
    package enum Purpose {
        /// The digest of source bytes.
        package static let source = "source"
        /// The absolute path of a source file.
        package static let path = "path"
        /// What a source file held.
        package static let content = "content"
        /// The identity number on a front.
        package static let holder = "holder"
        /// The digest of bytes that were sent to a verifier.
        package static let reading = "reading"
        /// The name that a sender gave to a request, or all that the request said.
        package static let receipt = "receipt"
        /// A business number that outlives its cards.
        package static let businessNumber = "business-number"
        /// The absolute path of a watched folder.
        package static let watchedFolder = "watched folder"
        /// Bytes that an erased card left, if it left any.
        package static let trace = "trace"
    }

    /// The keys around the data keys; `nil` where nothing is encrypted.
    let keeper: KeyRingKeeper?
    private let fingerprintKey: SymmetricKey
    private let chainKey: SymmetricKey

    /// Opens the door with the keys of the sandbox.
    init(keeper: KeyRingKeeper?, fingerprintKey: SymmetricKey, chainKey: SymmetricKey) {
        self.keeper = keeper
        self.fingerprintKey = fingerprintKey
        self.chainKey = chainKey
    }

    /// How values are kept.
    package var mode: Mode { self.keeper == nil ? .none : .encrypted }

    /// Returns what is stored in place of a value.
    ///
    /// - Parameters:
    ///   - plaintext: the value.
    ///   - card: the identifier of the card that it belongs to.
    ///   - column: where it is stored, as `table.column`; a value opens in its own place only.
    ///   - db: the transaction in which it is stored; the data key is made there if the card has none.
    /// - Throws: `StoreError.wrongKey` if the key under which new data keys are wrapped is not there.
    package func seal(_ plaintext: Data, card: String, column: String, in db: Database) throws -> Data {
        try self.seal(plaintext, owner: card, column: column, in: db)
    }

    /// Returns a value from what is stored.
    ///
    /// - Throws: `StoreError.corrupt` if it was not sealed for this place, `StoreError.wrongKey` if the key that wraps
    ///   the card's data key is not there.
    package func open(_ sealed: Data, card: String, column: String, in db: Database) throws -> Data {
        try self.open(sealed, owner: card, column: column, in: db)
    }

    /// Returns what is stored in place of a value of a delivery, such as its parts with the TOKEN.
    ///
    /// - Throws: as for the value of a card.
    package func seal(_ plaintext: Data, delivery: String, column: String, in db: Database) throws -> Data {
        try self.seal(plaintext, owner: delivery, column: column, in: db)
    }

    /// Returns a value of a delivery from what is stored.
    ///
    /// - Throws: as for the value of a card.
    package func open(_ sealed: Data, delivery: String, column: String, in db: Database) throws -> Data {
        try self.open(sealed, owner: delivery, column: column, in: db)
    }

    /// Returns the HMAC-SHA256 (RFC 2104) of a value under the key of the sandbox, 32 bytes.
    package func fingerprint(_ data: Data, purpose: String) -> Data {
        // One text in one array: whoever looks a thousand files up asks for as many, and parts cost more than the digest.
        var text: [UInt8] = []
        text.reserveCapacity(purpose.utf8.count + 1 + data.count)
        text.append(contentsOf: purpose.utf8)
        // Ends the purpose, which never holds a zero byte, so that no two purposes share an input.
        text.append(0)
        text.append(contentsOf: data)
        var code = HMAC<SHA256>(key: self.fingerprintKey)
        text.withUnsafeBytes { code.update(data: $0) }
        return code.finalize().withUnsafeBytes { Data($0) }
    }

    /// Returns the HMAC-SHA256 (RFC 2104) of a line of the access log under the chain key, 32 bytes.
    package func chainCode(of line: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: line, using: self.chainKey))
    }
}

extension Vault {
    func seal(_ text: Redacted<String>?, card: CardID, column: String, in db: Database) throws -> Data? {
        try text.map { try self.seal(Data($0.reveal().utf8), card: card.rawValue, column: column, in: db) }
    }

    func openText(_ sealed: Data?, card: CardID, column: String, in db: Database) throws -> String? {
        try sealed.map {
            try String(decoding: self.open($0, card: card.rawValue, column: column, in: db), as: UTF8.self)
        }
    }

    func openText(
        _ sealed: Data?,
        with key: inout OwnerKey,
        column: String,
        in db: Database
    ) throws -> String? {
        guard let sealed else { return nil }
        return String(decoding: try self.open(sealed, with: &key, column: column, in: db), as: UTF8.self)
    }

    /// The fingerprint of the holder of a front: of the normalised number, or of the text as read if it is not a
    /// number.
    func holderFingerprint(of reading: CardReading) -> Data? {
        guard let raw = reading.fields.number?.reveal(), !raw.isEmpty else { return nil }
        let number = (try? IDNumber.parse(raw).get())?.reveal() ?? raw
        return self.fingerprint(Data(number.utf8), purpose: Purpose.holder)
    }
}
