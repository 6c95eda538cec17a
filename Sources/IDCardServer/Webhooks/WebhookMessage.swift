import Foundation
import IDCardCore

/// What a webhook says: `{"type": …, "timestamp": …, "data": {…}}`.
struct WebhookMessage: Decodable {
    /// The fields of `data`.
    let fields: SubmissionFields
    /// Where the image is; exactly one of the two is there.
    let imageURL: String?
    /// The image in Base64.
    let imageBase64: String?

    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }

    /// Reads the bytes of a body.
    ///
    /// - Throws: ``Problem``: `json_invalid`, `field_unknown`, `field_duplicate`, `image_missing`.
    static func parse(_ body: Data) throws -> WebhookMessage {
        do {
            return try JSONDecoder().decode(WebhookMessage.self, from: body)
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
        var fields = SubmissionFields()
        var url: String?
        var base64: String?
        for key in data.allKeys where try !data.decodeNil(forKey: key) {
            switch key.stringValue {
            case "image_url": url = try data.decode(String.self, forKey: key)
            case "image_base64": base64 = try data.decode(String.self, forKey: key)
            case let name:
                guard let field = SubmissionField(rawValue: name) else {
                    let known = "image_url, image_base64, \(SubmissionField.list)"
                    throw Problem(.fieldUnknown, "Known in data are \(known).")
                }
                if field == .priority, let number = try? data.decode(Int.self, forKey: key) {
                    try fields.set(field, to: "\(number)")
                } else {
                    try fields.set(field, to: try data.decode(String.self, forKey: key))
                }
            }
        }
        guard (url == nil) != (base64 == nil) else {
            throw Problem(.imageMissing, "data holds either image_url or image_base64.")
        }
        self.fields = fields
        self.imageURL = url
        self.imageBase64 = base64
    }
}
