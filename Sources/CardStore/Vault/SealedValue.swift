import Crypto
import Foundation

/// The form in which a value lies in the sandbox: a byte for the version, a nonce of 12 random bytes, the ciphertext, a
/// tag of 16 bytes; AES-256-GCM (NIST SP 800-38D).
///
/// What is authenticated beside it names owner, column and version, so that a value opens in its own place only. A data
/// key seals the few values of one card, a key-encryption key some keys for each of them: both stay far below the 2³²
/// values up to which random nonces are safe.
enum SealedValue {
    private static let version: UInt8 = 1
    private static let nonceByteCount = 12
    private static let tagByteCount = 16
    /// How many bytes a sealed value has more than the value.
    static let overhead = 1 + Self.nonceByteCount + Self.tagByteCount

    static func seal(_ plaintext: Data, using key: SymmetricKey, owner: String, column: String) throws -> Data {
        let box = try AES.GCM.seal(plaintext, using: key, authenticating: Self.place(owner: owner, column: column))
        // The parts of the box are slices of it: this is the one copy, for the version's sake.
        var sealed = Data(capacity: plaintext.count + Self.overhead)
        sealed.append(Self.version)
        sealed.append(contentsOf: box.nonce)
        sealed.append(box.ciphertext)
        sealed.append(box.tag)
        return sealed
    }

    /// - Returns: `nil` if the value was not sealed with this key for this place, or was changed since.
    static func open(_ sealed: Data, using key: SymmetricKey, owner: String, column: String) -> Data? {
        guard sealed.count >= Self.overhead, sealed.first == Self.version,
            let box = try? AES.GCM.SealedBox(combined: sealed.dropFirst())
        else { return nil }
        return try? AES.GCM.open(box, using: key, authenticating: Self.place(owner: owner, column: column))
    }

    /// No column holds a zero byte, so no two places are written alike.
    private static func place(owner: String, column: String) -> [UInt8] {
        var place: [UInt8] = []
        place.reserveCapacity(owner.utf8.count + column.utf8.count + 3)
        place.append(contentsOf: owner.utf8)
        place.append(0)
        place.append(contentsOf: column.utf8)
        place.append(contentsOf: [0, Self.version])
        return place
    }
}
