import CardModel
import Foundation
import MultipartForm

/// One persisted delivery as a request: what it is sent as was settled when it was formed.
struct DeliveryRequest: Sendable {
    /// The body.
    let body: RequestBody
    /// The headers beside the body's own.
    let headers: [HeaderField]

    /// Makes the request of a delivery.
    ///
    /// - Throws: `image_missing` or `form_invalid`.
    init(_ delivery: OutboundDelivery) throws(RemoteFailure) {
        let key = try Self.keyHeader(delivery.idempotencyKey)
        if OctetStreamUpload.isRecipe(delivery.boundary) {
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
            throw Self.invalid("\(error.message)")
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
        var result: [MultipartForm.Part] = []
        for part in parts {
            switch part.content {
            case .text(let value):
                result.append(.text(value.reveal(), name: part.name))
            case .image(let card, let filename, let contentType):
                let image = try self.image(of: card, in: images)
                result.append(.file(.bytes(image), name: part.name, filename: filename, contentType: contentType))
            }
        }
        return result
    }

    /// Returns the image of a card.
    ///
    /// - Throws: `image_missing`.
    static func image(of card: CardID, in images: [CardID: Data]) throws(RemoteFailure) -> Data {
        guard let image = images[card] else {
            throw RemoteFailure(
                .rejected,
                code: "image_missing",
                message: "the image of card \(card.rawValue) is not in the sandbox; run fsck"
            )
        }
        return image
    }

    /// The failure of a delivery that makes no request: nothing was sent, and the same recipe would fail again.
    static func invalid(_ what: Message) -> RemoteFailure {
        RemoteFailure(.rejected, code: "form_invalid", message: "the delivery cannot be expressed: \(what)")
    }

    /// The key as a Structured Field String: the quotes are syntax (RFC 8941 section 3.3.3).
    private static func keyHeader(_ key: String) throws(RemoteFailure) -> HeaderField {
        let quoted = "\"" + key.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        guard !key.isEmpty, let header = try? HeaderField("Idempotency-Key", quoted) else {
            throw self.invalid("its idempotency key is not printable ASCII; report this")
        }
        return header
    }
}
