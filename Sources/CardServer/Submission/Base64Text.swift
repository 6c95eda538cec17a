import CardModel
import Foundation

/// The Base64 of an image (RFC 4648 section 4, with padding), as senders write it: a `data:…,` before it, line breaks in it and
/// blanks around it do not count.
struct Base64Text {
    private let text: Substring.UTF8View
    /// How many bytes it stands for.
    let byteCount: Int

    /// - Throws: ``Problem``: `image_invalid`.
    init(_ text: String) throws {
        var rest = text[...].utf8.drop(while: Self.isSpace)
        if String(decoding: rest.prefix(5), as: UTF8.self).lowercased() == "data:",
            let comma = rest.firstIndex(of: UInt8(ascii: ","))
        {
            rest = rest[comma...].dropFirst().drop(while: Self.isSpace)
        }
        while let last = rest.last, Self.isSpace(last) { rest.removeLast() }
        var (digits, padding) = (0, 0)
        for byte in rest {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                guard padding == 0 else { throw Self.cutOff }
                digits += 1
            case _ where Self.isLineBreak(byte): break
            case UInt8(ascii: "="): padding += 1
            case UInt8(ascii: " "):
                throw Self.invalid(.base64Blank)
            case UInt8(ascii: "-"), UInt8(ascii: "_"):
                throw Self.invalid(.base64URLAlphabet)
            default: throw Self.invalid(.base64Character)
            }
        }
        guard padding <= 2, (digits + padding).isMultiple(of: 4) else { throw Self.cutOff }
        self.text = rest
        self.byteCount = (digits + padding) / 4 * 3 - padding
    }

    /// The bytes; the text, which is long, is not copied for it.
    func decoded() throws -> Data {
        let bytes = self.text.withContiguousStorageIfAvailable { text -> Data? in
            guard let start = UnsafeMutableRawPointer(mutating: text.baseAddress) else { return Data() }
            let lines = Data(bytesNoCopy: start, count: text.count, deallocator: .none)
            return Data(base64Encoded: lines, options: .ignoreUnknownCharacters)
        }
        guard let bytes = bytes ?? nil else { throw Self.cutOff }
        return bytes
    }

    private static let cutOff = Self.invalid(.base64CutOff)

    private static func invalid(_ detail: Message) -> Problem { Problem(.imageInvalid, detail) }

    private static func isLineBreak(_ byte: UInt8) -> Bool { [0x09, 0x0A, 0x0D].contains(byte) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || self.isLineBreak(byte) }
}
