package import Foundation

/// The grouping of cards into deliveries (`delivery.layout`).
package enum DeliveryLayoutKind: String, CaseIterable, Sendable, Codable {
    /// A form for each card.
    case single = "single"
    /// A form for the front and the back of a business number.
    case application = "application"
    /// A form for several cards of one user account.
    case batch = "batch"
}

/// The format of a delivery's body (`delivery.body`).
package enum DeliveryBody: String, CaseIterable, Sendable, Codable {
    /// A form, for all layouts.
    case multipart = "multipart"
    /// The image alone, with the texts in headers; for the layout `single`.
    case octetStream = "octet-stream"
}

/// What to do about a delivery that the backend may have applied (`delivery.on_unknown`).
package enum UnknownPolicy: String, CaseIterable, Sendable, Codable {
    /// The same bytes are sent again under the same key.
    case resend = "resend"
    /// A person decides.
    case hold = "hold"
}

/// One part of a business backend's form, as stored with its delivery: a text, or the image of a member.
package struct DeliveryPart: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// A text value; may be a secret (TOKEN).
        case text(Redacted<String>)
        /// The prepared JPEG of a member of the delivery.
        case image(CardID, filename: String, contentType: String)
    }

    package var name: String
    package var content: Content

    package static func text(_ value: String, name: String) -> DeliveryPart {
        DeliveryPart(name: name, content: .text(Redacted(value)))
    }

    package static func image(of card: CardID, name: String, filename: String, contentType: String) -> DeliveryPart {
        DeliveryPart(name: name, content: .image(card, filename: filename, contentType: contentType))
    }
}

// The keys are written out because parts are stored: a renamed property must not make open deliveries unreadable.
extension DeliveryPart: Codable {
    private enum CodingKeys: String, CodingKey {
        case name = "name"
        case text = "text"
        case image = "image"
        case filename = "filename"
        case contentType = "content_type"
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.name = try values.decode(String.self, forKey: .name)
        if let text = try values.decodeIfPresent(Redacted<String>.self, forKey: .text) {
            self.content = .text(text)
        } else {
            self.content = .image(
                try values.decode(CardID.self, forKey: .image),
                filename: try values.decode(String.self, forKey: .filename),
                contentType: try values.decode(String.self, forKey: .contentType)
            )
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.name, forKey: .name)
        switch self.content {
        case .text(let text): try container.encode(text, forKey: .text)
        case .image(let card, let filename, let contentType):
            try container.encode(card, forKey: .image)
            try container.encode(filename, forKey: .filename)
            try container.encode(contentType, forKey: .contentType)
        }
    }
}

/// A card with the values that the form layouts use.
package struct DeliveryMember: Hashable, Sendable {
    package var card: CardID
    package var side: CardSide
    package var businessNumber: BusinessNumber
    /// The number as it was given, if ``businessNumber`` is its digest: what is sent.
    package var givenNumber: Redacted<String>?
    /// The user account of the upload; `nil` for the configured one.
    package var userNumber: Redacted<String>?
    /// Whether the card is sent in a delivery of its own, because a delivery of several cards was refused as a whole.
    package var isSplit: Bool

    package init(
        card: CardID,
        side: CardSide,
        businessNumber: BusinessNumber,
        userNumber: Redacted<String>?,
        isSplit: Bool = false
    ) {
        (self.card, self.side, self.businessNumber, self.userNumber) = (card, side, businessNumber, userNumber)
        self.isSplit = isSplit
    }
}

/// A delivery ready to be sent: the stored parts, together with the images of the members.
package struct OutboundDelivery: Sendable, Discreet {
    /// The key of this delivery, the same for all attempts.
    package var idempotencyKey: String
    package var layout: DeliveryLayoutKind
    package var body: DeliveryBody
    /// The boundary of its form; empty for a raw body.
    package var boundary: String
    package var parts: [DeliveryPart]
    package var images: [CardID: Data]
    /// Personal values of the members (name, number, address, …) that no message may repeat. They need not be in a part:
    /// a backend that reads the images may quote them.
    package var confidential: [Redacted<String>]

    package init(
        idempotencyKey: String,
        layout: DeliveryLayoutKind = .single,
        body: DeliveryBody = .multipart,
        boundary: String,
        parts: [DeliveryPart],
        images: [CardID: Data],
        confidential: [Redacted<String>] = []
    ) {
        (self.idempotencyKey, self.layout, self.body, self.boundary) = (idempotencyKey, layout, body, boundary)
        (self.parts, self.images, self.confidential) = (parts, images, confidential)
    }

    package var description: String {
        "OutboundDelivery(\(self.idempotencyKey), \(self.parts.count) parts, \(self.images.count) images)"
    }
}

package enum DeliveryOutcome: Hashable, Sendable {
    /// The backend holds the documents; `alreadyExisted` if it held them before.
    case accepted(alreadyExisted: Bool, code: String)
    /// The backend answered for single cards, in the order of the members.
    case items([DeliveryItemOutcome])
    /// The backend refused the TOKEN; nothing was applied.
    case tokenExpired(RemoteFailure)
    case failed(RemoteFailure)
}

/// The backend's result for one card of a delivery that holds several.
package enum DeliveryItemOutcome: Hashable, Sendable {
    /// The backend holds the document; `alreadyExisted` if it held it before.
    case accepted(alreadyExisted: Bool, code: String)
    /// Definitely refused for this card.
    case rejected(RemoteFailure)
    /// Not applied; the card may be sent again in a new delivery ("not now", an expired TOKEN).
    case notApplied(RemoteFailure)
    /// The reply does not name the card: the backend may hold it.
    case unknown(RemoteFailure)
}
