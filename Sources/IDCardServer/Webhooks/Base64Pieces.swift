import Foundation

/// Decodes Base64 (RFC 4648 section 4, with padding, without line breaks) piece by piece.
enum Base64Pieces {
    /// How many characters a piece has; a multiple of four.
    private static let pieceLength = 64 << 10

    /// Hands the decoded pieces over one after the other.
    ///
    /// - Throws: ``Problem``: `image_invalid`; and what `take` throws.
    static func decode(_ text: String, _ take: (Data) async throws -> Void) async throws {
        var text = text
        text.makeContiguousUTF8()
        let bytes = text.utf8
        guard bytes.count.isMultiple(of: 4) else { throw Problem(.imageInvalid) }
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes.index(start, offsetBy: self.pieceLength, limitedBy: bytes.endIndex) ?? bytes.endIndex
            guard let piece = Data(base64Encoded: Data(bytes[start..<end])) else { throw Problem(.imageInvalid) }
            // Padding ends the text; within it, it would join two.
            let isPadded = bytes[bytes.index(before: end)] == UInt8(ascii: "=")
            guard !isPadded || end == bytes.endIndex else { throw Problem(.imageInvalid) }
            try await take(piece)
            start = end
        }
    }
}
