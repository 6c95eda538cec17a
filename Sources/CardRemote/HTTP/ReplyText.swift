import CardModel
import Foundation

/// Converts the body of a reply to UTF-8 by its byte order mark, its charset, or the XML declaration, in this order. It never
/// guesses a charset, since GBK decoded with another charset gives valid but wrong characters.
enum ReplyText {
    /// The supported charsets by their labels; GB 18030 includes GBK and GB 2312.
    private static let charsets: [String: String.Encoding] = {
        let gb18030 = String.Encoding(rawValue: 0x8000_0632)
        let big5 = String.Encoding(rawValue: 0x8000_0A03)
        return [
            "utf-8": .utf8, "utf8": .utf8, "us-ascii": .ascii, "ascii": .ascii, "iso-8859-1": .isoLatin1,
            "latin1": .isoLatin1, "windows-1252": .windowsCP1252, "cp1252": .windowsCP1252,
            "utf-16": .utf16BigEndian, "utf-16be": .utf16BigEndian, "utf-16le": .utf16LittleEndian,
            "gbk": gb18030, "gb2312": gb18030, "gb18030": gb18030, "cp936": gb18030, "ms936": gb18030, "x-gbk": gb18030,
            "windows-936": gb18030, "euc-cn": gb18030, "big5": big5,
        ]
    }()

    private static let marks: [(bytes: [UInt8], encoding: String.Encoding)] = [
        ([0xEF, 0xBB, 0xBF], .utf8), ([0xFE, 0xFF], .utf16BigEndian), ([0xFF, 0xFE], .utf16LittleEndian),
    ]

    /// Returns the body of a reply in UTF-8, without a byte order mark; throws the reason why it cannot be read.
    static func utf8(of reply: HTTPReply) throws(Message) -> [UInt8] {
        do {
            return try self.utf8(Array(reply.body), charset: reply.charset)
        } catch {
            // The header with the coding is reported only now: servers also send it with bodies that have no coding.
            guard let coding = reply.contentCoding else { throw error }
            throw .replyCoding(self.shown(coding))
        }
    }

    /// Returns bytes in UTF-8, without a byte order mark; `charset` is their label, if any.
    static func utf8(_ bytes: [UInt8], charset: String?) throws(Message) -> [UInt8] {
        for mark in self.marks where bytes.starts(with: mark.bytes) {
            return try self.converted(bytes.dropFirst(mark.bytes.count), mark.encoding, otherwise: .replyMarkWrong)
        }
        guard let label = charset ?? self.declaredCharset(in: bytes) else {
            if String(validating: bytes, as: UTF8.self) != nil { return bytes }
            throw .replyCharsetUnnamed
        }
        guard let encoding = self.charsets[label.lowercased()] else { throw .replyCharset(self.shown(label)) }
        switch encoding {
        // Servers also label UTF-8 like this, and other texts are rarely valid UTF-8 by chance.
        case .isoLatin1, .ascii, .windowsCP1252: if String(validating: bytes, as: UTF8.self) != nil { return bytes }
        default: break
        }
        return try self.converted(bytes[...], encoding, otherwise: .replyCharsetWrong(self.shown(label)))
    }

    /// Returns the codings that a body still has: async-http-client has removed gzip or deflate, if that is the only coding.
    static func remainingCoding(_ codings: [String]) -> String? {
        let real = codings.map { $0.lowercased() }.filter { $0 != "identity" && !$0.isEmpty }
        return real.isEmpty || real == ["gzip"] || real == ["deflate"] ? nil : real.joined(separator: ", ")
    }

    private static func converted(
        _ bytes: ArraySlice<UInt8>,
        _ encoding: String.Encoding,
        otherwise why: Message
    ) throws(Message) -> [UInt8] {
        if encoding == .utf8, String(validating: bytes, as: UTF8.self) != nil { return Array(bytes) }
        guard encoding != .utf8, let text = String(bytes: bytes, encoding: encoding) else { throw why }
        return Array(text.utf8)
    }

    private static func declaredCharset(in bytes: [UInt8]) -> String? {
        let head = String(decoding: bytes.prefix(256), as: UTF8.self)
        guard head.hasPrefix("<?xml"), let end = head.range(of: "?>") else { return nil }
        return head[..<end.lowerBound].firstMatch(of: #/\sencoding\s*=\s*["']([^"']*)["']/#).map { String($0.1) }
    }

    /// Returns a label from a remote for a message; "…" if it is long or not plain ASCII.
    private static func shown(_ label: String) -> String {
        label.count <= 40 && label.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? label : "…"
    }
}
