package import Crypto
package import Foundation

/// The SHA-256 of some bytes (FIPS 180-4), 32 bytes.
package struct ContentDigest: Hashable, Sendable, Codable, Discreet {
    package let bytes: Data

    private enum CodingKeys: String, CodingKey {
        case bytes = "bytes"
    }

    package init(of data: some DataProtocol) { self.bytes = Data(SHA256.hash(data: data)) }

    /// Creates a digest from the result of an incremental hash.
    package init(_ digest: SHA256Digest) { self.bytes = Data(digest) }

    package init(stored bytes: Data) { self.bytes = bytes }

    /// Lower-case hexadecimal, 64 characters.
    package var hexadecimal: String { self.bytes.hexadecimal }

    /// Does not show the digest: from it, an owner of the same photo could tell that we have the photo, too.
    package var description: String { "ContentDigest" }
}

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits a byte.
    package var hexadecimal: String {
        self.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
