import CardModel
import Crypto
package import Foundation

/// A key-encryption key: the only secret outside the sandbox, with which the keys in the sandbox are wrapped.
package struct VaultKey: Sendable, Hashable {
    package static let byteCount = 32

    /// Names the key without revealing anything of it: 16 hexadecimal digits.
    package let id: String
    let key: SymmetricKey

    /// Creates a key of 32 bytes.
    ///
    /// - Returns: `nil` for any other length.
    package init?(_ bytes: Data) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(key: SymmetricKey(data: bytes))
    }

    private init(key: SymmetricKey) {
        self.key = key
        // An HMAC under the key is one-way, so the id does not help to find the key.
        let code = HMAC<SHA256>.authenticationCode(for: Data("idcard-pipeline key id".utf8), using: key)
        self.id = code.prefix(8).hexadecimal
    }

    /// Reads a key from its text: Base64 of 32 bytes (with or without `=` at its end), or 64 hexadecimal digits.
    package init?(text: some StringProtocol) {
        let digits = Array(text.utf8)
        let padding = String(repeating: "=", count: (4 - digits.count % 4) % 4)
        let isHexadecimal = digits.count == 2 * Self.byteCount
        let bytes = isHexadecimal ? Data(hexadecimal: digits) : Data(base64Encoded: text + padding)
        guard let bytes else { return nil }
        self.init(bytes)
    }

    package static func random() -> VaultKey { VaultKey(key: SymmetricKey(size: .bits256)) }

    /// The key itself in Base64, for the key file and for nothing else.
    package func reveal() -> String { self.key.withUnsafeBytes { Data($0).base64EncodedString() } }

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

/// One or more key-encryption keys: the first wraps new keys, all of them unwrap stored ones.
package struct KeyRing: Sendable, Hashable {
    /// The most keys of one ring; a rotation needs two.
    package static let maximumCount = 16

    /// The keys, the current one first; never empty, no two alike.
    package let keys: [VaultKey]

    /// Joins keys.
    ///
    /// - Returns: `nil` without a key, or with a repeated one.
    package init?(_ keys: [VaultKey]) {
        guard !keys.isEmpty, Set(keys).count == keys.count else { return nil }
        self.keys = keys
    }

    package init(_ key: VaultKey) { self.keys = [key] }

    package var current: VaultKey { self.keys[0] }

    /// The key with an id; `nil` if the ring lacks it.
    package func key(_ id: String) -> VaultKey? { self.keys.first { $0.id == id } }

    /// Why a text is not a ring; shows only a line number, nothing of the text.
    package enum Refusal: Error, Hashable, Sendable {
        /// The text has no key.
        case empty
        /// A line, counted from 1, holds something that is not a key.
        case notAKey(line: Int)
        /// A line, counted from 1, holds the key of an earlier line.
        case repeated(line: Int)
        /// There are more keys than ``KeyRing/maximumCount``.
        case tooMany
    }

    /// Reads a ring: a key per line, or several with commas between them; `#` begins a comment.
    package init(text: String) throws(Refusal) {
        var keys: [VaultKey] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = line.prefix { $0 != "#" }
            for item in content.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
                guard let key = VaultKey(text: item) else { throw .notAKey(line: index + 1) }
                guard !keys.contains(key) else { throw .repeated(line: index + 1) }
                keys.append(key)
            }
        }
        guard keys.count <= Self.maximumCount else { throw .tooMany }
        guard let ring = KeyRing(keys) else { throw .empty }
        self = ring
    }
}
