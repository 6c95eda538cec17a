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
