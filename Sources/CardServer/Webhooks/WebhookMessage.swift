import CardModel

/// What a webhook says: `{"type": …, "timestamp": …, "data": {…}}`.
struct WebhookMessage {
    /// Where the image is.
    enum Image {
        case address(Redacted<String>)
        case base64(Redacted<String>)
    }

    /// The fields of `data`.
    let fields: FieldTexts
    let image: Image

    /// - Throws: ``Problem``: `json_invalid`, `field_unknown`, `field_duplicate`, `image_missing`.
    init(_ body: [UInt8]) throws {
        let expected = "Expected {\"type\": …, \"timestamp\": …, \"data\": {…}} with texts in data."
        let message = try StrictJSON.object(in: body, expected: expected)
        guard let data = message["data"], data.isObject else { throw Problem(.jsonInvalid, expected) }
        var fields = FieldTexts()
        var images: [Image] = []
        for member in data.members {
            switch (member.name, member.value) {
            case (_, .null): break
            case ("image_url", .string(let text)): images.append(.address(Redacted(text)))
            case ("image_base64", .string(let text)): images.append(.base64(Redacted(text)))
            case (let name, let value):
                guard let field = SubmittedField(rawValue: name) else {
                    throw Problem(.fieldUnknown, "Known in data are image_url, image_base64, \(FieldTexts.names).")
                }
                switch value {
                case .string(let text): try fields.set(field, to: text)
                case .number(let digits) where field == .priority: try fields.set(field, to: digits)
                default: throw Problem(.jsonInvalid, expected)
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
