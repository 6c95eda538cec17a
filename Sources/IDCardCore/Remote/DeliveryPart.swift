/// One part of a business backend's form, as it is persisted with its delivery: a value, or the image of a member.
package struct DeliveryPart: Hashable, Sendable, Codable {
    /// What the part carries.
    package enum Content: Hashable, Sendable, Codable {
        /// A text value; may be a secret (TOKEN).
        case text(Redacted<String>)
        /// The prepared JPEG of a member of the delivery.
        case image(CardID, filename: String, contentType: String)
    }

    /// The name of the form part.
    package var name: String
    /// What it carries.
    package var content: Content

    /// Makes a text part.
    package static func text(_ value: String, name: String) -> DeliveryPart {
        DeliveryPart(name: name, content: .text(Redacted(value)))
    }

    /// Makes a file part from the image of a card.
    package static func image(of card: CardID, name: String, filename: String, contentType: String) -> DeliveryPart {
        DeliveryPart(name: name, content: .image(card, filename: filename, contentType: contentType))
    }
}
