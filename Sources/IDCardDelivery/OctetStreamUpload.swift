import IDCardCore

/// How the parts of a form become headers and a raw body.
///
/// A text part `BUSINESSNO` becomes the header `X-BUSINESSNO`. Visible ASCII stays as it is, except the percent sign;
/// every other byte of the text's UTF-8, spaces too, becomes `%` and two hexadecimal digits (RFC 3986 section 2.1).
/// The image is the body, its name stands in `Content-Disposition: attachment; filename="…"`.
package struct OctetStreamUpload: Hashable, Sendable {
    /// The media types of the body.
    package enum MediaType: String, CaseIterable, Sendable, Codable {
        /// Bytes of any kind.
        case octetStream = "application/octet-stream"
        /// A JPEG.
        case jpeg = "image/jpeg"
    }

    /// What stands before a part's name in its header's name.
    package var headerPrefix: String
    /// The media type of the body.
    package var mediaType: MediaType

    /// Describes raw uploads.
    package init(headerPrefix: String = "X-", mediaType: MediaType = .octetStream) {
        self.headerPrefix = headerPrefix
        self.mediaType = mediaType
    }
}

extension OctetStreamUpload {
    private static let recipeStart = "octet-stream"

    /// These settings as text, which is persisted in the place of a boundary.
    ///
    /// A delivery once attempted is never formed anew, also when the configuration changes from forms to raw bodies in
    /// between. No boundary of ours begins with this word, and none holds a semicolon.
    var recipe: String { "\(Self.recipeStart);\(self.mediaType.rawValue);\(self.headerPrefix)" }

    /// Reads what ``recipe`` wrote; `nil` for a boundary.
    init?(recipe: String) {
        let fields = recipe.split(separator: ";", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0] == Self.recipeStart, let type = MediaType(rawValue: String(fields[1])) else {
            return nil
        }
        self.init(headerPrefix: String(fields[2]), mediaType: type)
    }

    /// Returns the headers and the card whose image is the body.
    ///
    /// - Throws: ``DeliveryError`` with the code `form_invalid`: not one image, or a name that makes no header.
    func request(
        for parts: [DeliveryPart]
    ) throws(DeliveryError) -> (headers: [(name: String, value: String)], card: CardID) {
        var headers: [(name: String, value: String)] = []
        var card: CardID?
        for part in parts {
            switch part.content {
            case .text(let value):
                headers.append((try self.headerName(for: part.name), Self.encoded(value.reveal())))
            case .image(let image, let filename, _):
                guard card == nil else { throw Self.notOneImage }
                card = image
                headers.append(("Content-Disposition", try Self.disposition(filename)))
            }
        }
        guard let card else { throw Self.notOneImage }
        return (headers, card)
    }

    private static var notOneImage: DeliveryError {
        DeliveryError(.formInvalid, "a raw body holds one image; set delivery.layout to single, or send forms")
    }

    private func headerName(for part: String) throws(DeliveryError) -> String {
        let name = self.headerPrefix + part
        // RFC 9110 section 5.6.2.
        let isToken = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        guard !name.isEmpty, isToken else {
            throw DeliveryError(.formInvalid, "the part \(part) makes no header name; choose ASCII letters and digits")
        }
        return name
    }

    private static func encoded(_ text: String) -> String {
        self.percentEncoded(text) { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%") }
    }

    /// The file name in quotes (RFC 6266); what is not ASCII goes into `filename*` (RFC 8187), too.
    private static func disposition(_ filename: String) throws(DeliveryError) -> String {
        guard filename.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw DeliveryError(.formInvalid, "the file name of an image holds control characters; choose another")
        }
        let plain = String(String.UnicodeScalarView(filename.unicodeScalars.map { $0.isASCII ? $0 : "_" }))
        let quoted = plain.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let header = "attachment; filename=\"\(quoted)\""
        if plain == filename { return header }
        let extended = self.percentEncoded(filename) { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "!#$&+-.^_`|~".utf8.contains(byte)
            }
        }
        return header + "; filename*=UTF-8''" + extended
    }

    private static func percentEncoded(_ text: String, keeping keeps: (UInt8) -> Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap { byte in
            keeps(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
