import CardModel
import MultipartForm

/// Converts the parts of a form to headers and a raw body.
///
/// A text part `BUSINESSNO` becomes the header `X-BUSINESSNO`. Visible ASCII is unchanged, except the percent sign; every other
/// byte of the text's UTF-8, including spaces, becomes `%` and two hexadecimal digits (RFC 3986 section 2.1). The image is the
/// body; its file name is in `Content-Disposition: attachment; filename="…"`.
enum OctetStreamUpload {
    /// Returns the headers and the card whose image is the body.
    ///
    /// - Throws: `form_invalid` unless there is exactly one image, and every name makes a valid header.
    static func request(for parts: [DeliveryPart]) throws(RemoteFailure) -> (headers: [HeaderField], card: CardID) {
        var headers: [HeaderField] = []
        var card: CardID?
        do throws(Message) {
            for part in parts {
                switch part.content {
                case .text(let value):
                    let text = self.percentEncoded(value.reveal()) {
                        (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%")
                    }
                    headers.append(try HeaderField("X-\(part.name)", text))
                case .image(let image, let filename, _):
                    guard card == nil else { throw .backendSeveralImages }
                    card = image
                    headers.append(try HeaderField("Content-Disposition", self.disposition(filename)))
                }
            }
        } catch {
            throw DeliveryRequest.invalid(error)
        }
        guard let card else { throw DeliveryRequest.invalid(.backendNoImage) }
        return (headers, card)
    }

    /// Returns the value of the header with the file name in quotes (RFC 6266); a name beyond ASCII also in `filename*` (RFC 8187).
    private static func disposition(_ filename: String) -> String {
        let plain = String(String.UnicodeScalarView(filename.unicodeScalars.map { $0.isASCII ? $0 : "_" }))
        let quoted = plain.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let header = "attachment; filename=\"\(quoted)\""
        if plain == filename { return header }
        let extended = self.percentEncoded(filename) { $0.isASCIIAlphanumeric || "!#$&+-.^_`|~".utf8.contains($0) }
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
