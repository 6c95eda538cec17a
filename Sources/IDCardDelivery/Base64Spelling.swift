import Foundation

/// The ways in which Base64 comes out of business backends (RFC 4648, and what happens to it on the way).
enum Base64Spelling {
    /// Returns the bytes a text may stand for, likeliest first; none if it is not Base64 of whole blocks.
    ///
    /// Lines and blanks are taken out; a blank may also be a plus that a form decoder turned into it. The alphabet for
    /// URLs and missing padding are taken, too.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - length: the length of a block.
    static func blocks(in text: [UInt8], ofLength length: Int) -> [[UInt8]] {
        let candidates = [text, text.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }]
        var found: [[UInt8]] = []
        for candidate in candidates {
            guard let bytes = self.decoded(candidate.filter { !self.isSpace($0) }), !bytes.isEmpty,
                bytes.count.isMultiple(of: length), !found.contains(bytes)
            else { continue }
            found.append(bytes)
        }
        return found
    }

    /// Whether a byte is white space of ASCII.
    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        var digits = text.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        if !digits.contains(UInt8(ascii: "=")) {
            digits += [UInt8](repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        }
        return Data(base64Encoded: Data(digits)).map(Array.init)
    }
}
