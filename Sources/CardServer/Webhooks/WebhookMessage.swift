import CardModel
import Foundation

/// What a webhook says: `{"type": …, "timestamp": …, "data": {…}}`.
struct WebhookMessage: Decodable {
    /// Where the image is.
    enum Image {
        case address(Redacted<String>)
        case base64(Redacted<String>)
    }

    /// The fields of `data`.
    let fields: FieldTexts
    let image: Image

    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Reads the bytes of a body.
    ///
    /// - Throws: ``Problem``: `json_invalid`, `field_unknown`, `field_duplicate`, `image_missing`.
    static func parse(_ body: Data) throws -> WebhookMessage {
        do {
            let message = try JSONDecoder().decode(WebhookMessage.self, from: body)
            guard JSONKeys.areUnique(in: body) else {
                throw Problem(.fieldDuplicate, "A key stands twice in an object.")
            }
            return message
        } catch let problem as Problem {
            throw problem
        } catch {
            // The decoder's own words may quote the body.
            throw Problem(.jsonInvalid, "It is {\"type\": …, \"timestamp\": …, \"data\": {…}} with texts in data.")
        }
    }

    init(from decoder: any Decoder) throws {
        let top = try decoder.container(keyedBy: Key.self)
        let data = try top.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "data"))
        var fields = FieldTexts()
        var images: [Image] = []
        for key in data.allKeys where try !data.decodeNil(forKey: key) {
            switch key.stringValue {
            case "image_url": images.append(.address(Redacted(try data.decode(String.self, forKey: key))))
            case "image_base64": images.append(.base64(Redacted(try data.decode(String.self, forKey: key))))
            case let name:
                guard let field = SubmittedField(rawValue: name) else {
                    throw Problem(.fieldUnknown, "Known in data are image_url, image_base64, \(FieldTexts.names).")
                }
                if field == .priority, let number = try? data.decode(Int.self, forKey: key) {
                    try fields.set(field, to: "\(number)")
                } else {
                    try fields.set(field, to: try data.decode(String.self, forKey: key))
                }
            }
        }
        guard images.count == 1 else {
            throw Problem(.imageMissing, "data holds either image_url or image_base64.")
        }
        self.fields = fields
        self.image = images[0]
    }
}

/// Decodes Base64 (RFC 4648 section 4, with padding, without line breaks) piece by piece, so that no second copy of an image
/// is made.
enum Base64Pieces {
    /// How many characters a piece has; a multiple of four.
    private static let pieceLength = 64 << 10

    /// Hands the decoded pieces over one after the other.
    ///
    /// - Throws: ``Problem``: `image_invalid`; and what `take` throws.
    static func decode(_ text: String, _ take: (Data) throws -> Void) throws {
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
            try take(piece)
            start = end
        }
    }
}

/// Looks at the keys of JSON that is known to be well-formed: a decoder keeps one of two equal keys and says nothing.
enum JSONKeys {
    /// Whether no object has a key twice.
    static func areUnique(in json: Data) -> Bool {
        json.withUnsafeBytes { bytes in
            var objects: [Set<String>] = []
            var index = 0
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "{"): objects.append([])
                case UInt8(ascii: "}"): objects.removeLast()
                case UInt8(ascii: "\""):
                    let start = index
                    self.skipString(bytes, &index)
                    guard self.isKey(bytes, after: index) else { break }
                    let token = Data(bytes[start...index])
                    let key = (try? JSONDecoder().decode(String.self, from: token)) ?? ""
                    guard objects[objects.count - 1].insert(key).inserted else { return false }
                default: break
                }
                index += 1
            }
            return true
        }
    }

    /// Moves from the quote that opens a text to the one that closes it.
    private static func skipString(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) {
        index += 1
        while bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
    }

    private static func isKey(_ bytes: UnsafeRawBufferPointer, after index: Int) -> Bool {
        bytes[(index + 1)...].first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ":")
    }
}
