import Foundation
import IDCardCore
import IDCardMultipartForm
import OutboundHTTP

/// One persisted delivery as a request: what it is sent as was settled when it was formed.
struct UploadRequest: Sendable {
    /// The body.
    enum Content: Sendable {
        /// A form.
        case form(MultipartForm)
        /// The image alone.
        case image(Data, contentType: String)
    }

    /// The body.
    let content: Content
    /// The headers beside the body's own.
    let headers: [(name: String, value: String)]

    /// Makes the request of a delivery.
    ///
    /// - Throws: ``DeliveryError``: `image_missing` or `form_invalid`.
    init(_ delivery: OutboundDelivery) throws(DeliveryError) {
        let key = (name: "Idempotency-Key", value: try Self.keyHeader(delivery.idempotencyKey))
        if let upload = OctetStreamUpload(recipe: delivery.boundary) {
            let request = try upload.request(for: delivery.parts)
            let image = try Self.image(of: request.card, in: delivery.images)
            self.content = .image(image, contentType: upload.mediaType.rawValue)
            self.headers = [key] + request.headers
            return
        }
        let parts = try Self.formParts(delivery.parts, images: delivery.images)
        do {
            self.content = .form(try MultipartForm(parts: parts, boundary: Boundary(delivery.boundary)))
        } catch {
            throw DeliveryError(.formInvalid, error.message, cause: error)
        }
        self.headers = [key]
    }

    /// Puts the images into the parts of a form.
    ///
    /// - Throws: ``DeliveryError`` with the code `image_missing`.
    static func formParts(
        _ parts: [DeliveryPart],
        images: [CardID: Data]
    ) throws(DeliveryError) -> [MultipartForm.Part] {
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
    /// - Throws: ``DeliveryError`` with the code `image_missing`.
    static func image(of card: CardID, in images: [CardID: Data]) throws(DeliveryError) -> Data {
        guard let image = images[card] else {
            throw DeliveryError(.imageMissing, "the image of card \(card) is not in the sandbox; run fsck")
        }
        return image
    }

    /// The key as a Structured Field String: the quotes are syntax (RFC 8941 section 3.3.3).
    private static func keyHeader(_ key: String) throws(DeliveryError) -> String {
        guard !key.isEmpty, key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw DeliveryError(.formInvalid, "the idempotency key must be printable ASCII; form the delivery anew")
        }
        return "\"" + key.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
