import CardModel
import Crypto
package import Foundation

/// A key-encryption key: the one secret that lies outside the sandbox, under which the keys within are wrapped.
package struct VaultKey: Sendable, Hashable {
    /// The length of a key.
    package static let byteCount = 32

    /// Names the key without telling anything of it: 16 hexadecimal digits.
    package let id: String
    let key: SymmetricKey

    /// Takes 32 bytes.
    ///
    /// - Returns: `nil` for any other length.
    package init?(_ bytes: Data) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(key: SymmetricKey(data: bytes))
    }

    private init(key: SymmetricKey) {
        self.key = key
        // One way, as an HMAC under the key itself: who knows the name is no nearer to the key.
        let code = HMAC<SHA256>.authenticationCode(for: Data("idcard-pipeline key id".utf8), using: key)
        self.id = code.prefix(8).hexadecimal
    }

    /// Reads a key from its text: Base64 of 32 bytes (with or without `=` at its end), or 64 hexadecimal digits.
    package init?(text: some StringProtocol) {
        let digits = Array(text.utf8)
        if digits.count == 2 * Self.byteCount {
            guard let bytes = Data(hexadecimal: digits) else { return nil }
            self.init(bytes)
        } else {
            let padding = String(repeating: "=", count: (4 - digits.count % 4) % 4)
            guard let bytes = Data(base64Encoded: text + padding) else { return nil }
            self.init(bytes)
        }
    }

    /// Makes a new key of 256 random bits.
    package static func random() -> VaultKey { VaultKey(key: SymmetricKey(size: .bits256)) }

    /// The key itself in Base64, for the file that keeps it and for nothing else.
    package func reveal() -> String {
        self.key.withUnsafeBytes { Data($0).base64EncodedString() }
    }

    package static func == (one: VaultKey, other: VaultKey) -> Bool { one.key == other.key }

    package func hash(into hasher: inout Hasher) { hasher.combine(self.id) }
}

extension VaultKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "VaultKey(\(self.id))" }
    package var debugDescription: String { self.description }
    /// Shows the name of the key and nothing else.
    package var customMirror: Mirror { Mirror(self, children: ["id": self.id]) }
}

extension Data {
    fileprivate init?(hexadecimal digits: [UInt8]) {
        self.init(capacity: digits.count / 2)
        for index in stride(from: 0, to: digits.count - 1, by: 2) {
            let pair = String(decoding: digits[index...(index + 1)], as: UTF8.self)
            guard pair.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16) else { return nil }
            self.append(byte)
        }
    }
}
