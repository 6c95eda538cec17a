import Crypto
package import Foundation
package import GRDB
import IDCardCore

/// The one door for secrecy: everything personal passes it on its way to and from the disk.
///
/// What must be searched (digests, paths, holders) is stored as a fingerprint, which tells equal from unequal and
/// nothing else.
package struct Vault: Sendable {
    /// How values are kept.
    package enum Mode: String, CaseIterable, Sendable {
        /// As they are; the protection is the mode of the file.
        case none
    }

    /// What a fingerprint is for; fingerprints of different purposes never match.
    package enum Purpose {
        /// The digest of source bytes.
        package static let source = "source"
        /// The absolute path of a source file.
        package static let path = "path"
        /// The identity number on a front.
        package static let holder = "holder"
        /// The digest of bytes that were sent to a verifier.
        package static let reading = "reading"
    }

    /// How values are kept.
    package let mode: Mode
    private let fingerprintKey: SymmetricKey
    private let chainKey: SymmetricKey

    /// Opens the door with the key of the sandbox.
    ///
    /// - Parameters:
    ///   - fingerprintKey: 32 random bytes that were made with the sandbox.
    ///   - chainKey: 32 other random bytes that were made with it.
    package init(mode: Mode, fingerprintKey: Data, chainKey: Data) {
        self.mode = mode
        self.chainKey = SymmetricKey(data: chainKey)
        self.fingerprintKey = SymmetricKey(data: fingerprintKey)
    }

    /// Returns what is stored in place of a value.
    ///
    /// - Parameters:
    ///   - plaintext: the value.
    ///   - card: the identifier of the card that it belongs to.
    ///   - column: where it is stored, as `table.column`; a value opens in its own place only.
    package func seal(_ plaintext: Data, card: String, column: String, in db: Database) throws -> Data {
        switch self.mode {
        case .none: plaintext
        }
    }

    /// Returns a value from what is stored.
    ///
    /// - Throws: `StoreError.corrupt` if it was not sealed for this place.
    package func open(_ sealed: Data, card: String, column: String, in db: Database) throws -> Data {
        switch self.mode {
        case .none: sealed
        }
    }

    /// Returns what is stored in place of a value of a delivery, such as its parts with the TOKEN.
    package func seal(_ plaintext: Data, delivery: String, column: String, in db: Database) throws -> Data {
        switch self.mode {
        case .none: plaintext
        }
    }

    /// Returns a value of a delivery from what is stored.
    ///
    /// - Throws: `StoreError.corrupt` if it was not sealed for this place.
    package func open(_ sealed: Data, delivery: String, column: String, in db: Database) throws -> Data {
        switch self.mode {
        case .none: sealed
        }
    }

    /// Returns the HMAC-SHA256 (RFC 2104) of a value under the key of the sandbox, 32 bytes.
    package func fingerprint(_ data: Data, purpose: String) -> Data {
        var code = HMAC<SHA256>(key: self.fingerprintKey)
        code.update(data: Data(purpose.utf8))
        // Ends the purpose, which never holds a zero byte, so that no two purposes share an input.
        code.update(data: [0])
        code.update(data: data)
        return Data(code.finalize())
    }

    /// Returns the HMAC-SHA256 (RFC 2104) of a line of the access log under the chain key, 32 bytes.
    package func chainCode(of data: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: data, using: self.chainKey))
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

    /// The fingerprint of the holder of a front: of the normalised number, or of the text as read if it is not a
    /// number.
    func holderFingerprint(of reading: CardReading) -> Data? {
        guard let raw = reading.fields.number?.reveal(), !raw.isEmpty else { return nil }
        let number = (try? IDNumber.parse(raw).get())?.reveal() ?? raw
        return self.fingerprint(Data(number.utf8), purpose: Purpose.holder)
    }
}
