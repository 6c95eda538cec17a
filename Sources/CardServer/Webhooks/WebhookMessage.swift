import CardModel

/// A message that brings the photo of a card: `{"type": "card.created", "timestamp": …, "data": {…}}`.
struct WebhookMessage {
    /// Where the image is.
    enum Image {
        case address(Redacted<String>)
        case base64(Redacted<String>)
    }

    /// The only type that brings a card.
    private static let type = "card.created"
    private static let expected = "Expected {\"type\": \"card.created\", \"timestamp\": \"…\", \"data\": {…}}."

    /// The fields of `data`.
    let fields: FieldTexts
    let image: Image

    /// Returns `nil` for a message of another type without an image: it tells of something that is not done here.
    ///
    /// - Throws: ``Problem``: `webhook_type_unknown`, `json_invalid`, `field_unknown`, `field_duplicate`, `image_missing`.
    init?(_ body: [UInt8]) throws {
        let message = try StrictJSON.object(in: body, expected: Self.expected)
        let members = (message["data"]?.members ?? []).filter { $0.value != .null }
        guard message["type"] == .string(Self.type) else {
            let hasImage = members.contains { ["image_url", "image_base64"].contains($0.name) }
            guard case .string(let type) = message["type"], !type.trimmed.isEmpty, !hasImage else {
                throw Problem(.webhookTypeUnknown, Self.expected)
            }
            return nil
        }
        guard message["data"]?.isObject == true else { throw Problem(.jsonInvalid, Self.expected) }
        var fields = FieldTexts()
        var images: [Image] = []
        for member in members {
            switch (member.name, member.value) {
            case ("image_url", .string(let text)): images.append(.address(Redacted(text)))
            case ("image_base64", .string(let text)): images.append(.base64(Redacted(text)))
            case (let name, let value):
                guard let field = SubmittedField(rawValue: name) else {
                    guard ["image_url", "image_base64"].contains(name) else {
                        throw FieldTexts.unknown(name, known: "image_url, image_base64, \(FieldTexts.names)")
                    }
                    throw Problem(.jsonInvalid, "In data, \(name) is no string.")
                }
                switch value {
                case .string(let text): try fields.set(field, to: text)
                case .number(let digits) where field == .priority: try fields.set(field, to: digits)
                default: throw Problem(.jsonInvalid, "In data, \(name) is no string.")
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
