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
    private static let imageNames: Set = ["image_url", "image_base64"]

    /// The fields of `data`.
    let fields: FieldTexts
    let image: Image

    /// Returns `nil` for a message of another type without an image: it tells of something that is not done here.
    ///
    /// - Throws: ``Problem``: `webhook_type_unknown`, `json_invalid`, `field_unknown`, `field_duplicate`, `image_missing`.
    init?(_ body: [UInt8]) throws {
        guard let message = JSONValue(parsing: body), message.isObject else {
            throw Problem(.jsonInvalid, .requestWebhook)
        }
        let data = message.members.filter { $0.name == "data" }.flatMap(\.value.members).filter { $0.value != .null }
        guard message["type"] == .string(Self.type) else {
            let hasImage = data.contains { Self.imageNames.contains($0.name) }
            guard case .string(let type) = message["type"], !type.trimmed.isEmpty, !hasImage else {
                throw Problem(.webhookTypeUnknown, .requestWebhook)
            }
            return nil
        }
        try StrictJSON.requireSingleNames(in: message)
        guard message["data"]?.isObject == true else { throw Problem(.jsonInvalid, .requestWebhook) }
        var fields = FieldTexts()
        var images: [Image] = []
        for member in data {
            switch (member.name, SubmittedField(rawValue: member.name), member.value) {
            case ("image_url", _, .string(let text)): images.append(.address(Redacted(text)))
            case ("image_base64", _, .string(let text)): images.append(.base64(Redacted(text)))
            case (_, let field?, .string(let text)): try fields.set(field, to: text)
            case (_, .priority, .number(let digits)): try fields.set(.priority, to: digits)
            case (let name, let field, _):
                guard field != nil || Self.imageNames.contains(name) else {
                    throw FieldTexts.unknown(name, known: "image_url, image_base64, \(FieldTexts.names)")
                }
                throw Problem(.jsonInvalid, .requestDataNotString(name))
            }
        }
        guard images.count == 1 else {
            throw Problem(.imageMissing, .requestDataImage)
        }
        self.fields = fields
        self.image = images[0]
    }
}
