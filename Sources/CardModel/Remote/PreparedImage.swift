package import Foundation

/// The recompressed JPEG of a card: the bytes that are verified and delivered. It does not print its bytes.
package struct PreparedImage: Hashable, Sendable, Discreet {
    /// A JPEG stream: upright, within the configured edge and byte budget, without metadata.
    package var jpeg: Data
    package var width: Int
    package var height: Int
    /// The SHA-256 of `jpeg`.
    package var digest: ContentDigest

    package init(jpeg: Data, width: Int, height: Int, digest: ContentDigest) {
        self.jpeg = jpeg
        self.width = width
        self.height = height
        self.digest = digest
    }

    package var description: String { "PreparedImage(\(self.width)x\(self.height), \(self.jpeg.count) bytes)" }
}
