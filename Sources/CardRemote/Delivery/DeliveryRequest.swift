import CardModel
import Foundation
import MultipartForm

/// The request of one stored delivery; it has the same bytes each time that it is made.
struct DeliveryRequest: Sendable {
    let body: RequestBody
    /// The headers in addition to those of the body.
    let headers: [HeaderField]

    /// Makes the request of a delivery.
    ///
    /// - Throws: `image_missing` or `form_invalid`.
    init(_ delivery: OutboundDelivery) throws(RemoteFailure) {
        let key = try Self.keyHeader(delivery.idempotencyKey)
        if delivery.body == .octetStream {
            let request = try OctetStreamUpload.request(for: delivery.parts)
            let image = try Self.image(of: request.card, in: delivery.images)
            self.body = .bytes(image, contentType: "application/octet-stream")
            self.headers = [key] + request.headers
            return
        }
        let parts = try Self.formParts(delivery.parts, images: delivery.images)
        do {
            self.body = .form(try MultipartForm(parts: parts, boundary: Boundary(delivery.boundary)))
        } catch {
            throw Self.invalid(.backendForm(error.code))
        }
        self.headers = [key]
    }

    /// Puts the images into the parts of a form.
    ///
    /// - Throws: `image_missing`.
    static func formParts(
        _ parts: [DeliveryPart],
        images: [CardID: Data]
    ) throws(RemoteFailure) -> [MultipartForm.Part] {
        try parts.map { (part) throws(RemoteFailure) in
            switch part.content {
            case .text(let value): return .text(value.reveal(), name: part.name)
            case .image(let card, let filename, let contentType):
                let image = try self.image(of: card, in: images)
                return .file(image, name: part.name, filename: filename, contentType: contentType)
            }
        }
    }

    /// Returns the image of a card.
    ///
    /// - Throws: `image_missing`.
    static func image(of card: CardID, in images: [CardID: Data]) throws(RemoteFailure) -> Data {
        guard let image = images[card] else {
            throw RemoteFailure(.rejected, code: "image_missing", message: .backendImageMissing(card))
        }
        return image
    }

    /// Returns the failure of a delivery of which no valid request can be made: nothing was sent, and each attempt would fail.
    static func invalid(_ why: Message) -> RemoteFailure {
        RemoteFailure(.rejected, code: "form_invalid", message: .backendInvalidRequest(why))
    }

    /// Returns the header with the key as a Structured Field String, whose quotes belong to the syntax (RFC 8941 section 3.3.3).
    private static func keyHeader(_ key: String) throws(RemoteFailure) -> HeaderField {
        let quoted = "\"" + key.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        guard !key.isEmpty, let header = try? HeaderField("Idempotency-Key", quoted) else {
            throw self.invalid(.backendKey)
        }
        return header
    }
}
