package import Foundation
package import IDCardCore
import MultipartForm
package import OutboundHTTP

/// Delivers persisted deliveries: the same bytes under the same `Idempotency-Key` at every attempt.
package struct BusinessBackendClient: Sendable {
    private let endpoint: RemoteEndpoint
    private let timeout: Duration
    private let replies: BackendReply
    private let http: OutboundHTTPClient

    /// Checks the configuration.
    ///
    /// - Throws: ``DeliveryError`` with the code `invalid_url`.
    package init(_ configuration: Configuration, http: OutboundHTTPClient) throws(DeliveryError) {
        do {
            self.endpoint = try RemoteEndpoint(configuration.url)
        } catch {
            throw DeliveryError(.invalidURL, "delivery.url: \(error.message)", cause: error)
        }
        self.timeout = configuration.timeout
        self.replies = BackendReply(table: configuration.retcodes, names: configuration.replyNames)
        self.http = http
    }

    /// Derives the boundary of a delivery from its key and proves it absent from every part.
    ///
    /// It is persisted with the delivery and never derived again: a change of the derivation must not change bytes
    /// already sent.
    ///
    /// - Parameters:
    ///   - key: the delivery's idempotency key.
    ///   - parts: its parts.
    ///   - images: the prepared JPEG of each member.
    /// - Throws: ``DeliveryError``: `image_missing` or `form_invalid`.
    package func boundary(
        forKey key: String,
        parts: [DeliveryPart],
        images: [CardID: Data]
    ) throws(DeliveryError) -> String {
        let formParts = try Self.formParts(parts, images: images)
        do {
            return try Boundary.derived(from: key, absentFrom: formParts).value
        } catch {
            throw DeliveryError(.formInvalid, error.message, cause: error)
        }
    }

    /// Makes one attempt.
    ///
    /// Cancelling the calling task ends it as `notSent` if the request was never handed over, else as `unknown`, both
    /// with the code `cancelled`: interrupted is not failed, but what was sent was sent.
    package func send(_ delivery: OutboundDelivery) async -> DeliveryOutcome {
        let form: MultipartForm
        let header: String
        do {
            form = try Self.form(of: delivery)
            header = try Self.keyHeader(delivery.idempotencyKey)
        } catch {
            // Nothing was sent, and the same recipe would fail again: an answer as definite as the remote's.
            return .failed(RemoteFailure(.rejected, code: error.code.description, message: error.message))
        }
        let exchange = await self.http.post(
            form,
            to: self.endpoint,
            headers: [(name: "Idempotency-Key", value: header)],
            deadline: self.timeout
        )
        switch exchange {
        case .reply(let reply):
            return self.replies.outcome(of: reply, mask: Self.mask(for: delivery))
        case .failure(let failure):
            return .failed(failure.remoteFailure(afterSend: .unknown))
        case .cancelled(let phase):
            return .failed(
                RemoteFailure(
                    phase == .notSent ? .notSent : .unknown,
                    code: "cancelled",
                    message: "the delivery was interrupted; it is taken up again under the same key"
                )
            )
        }
    }

    private static func form(of delivery: OutboundDelivery) throws(DeliveryError) -> MultipartForm {
        let parts = try self.formParts(delivery.parts, images: delivery.images)
        do {
            return try MultipartForm(parts: parts, boundary: Boundary(delivery.boundary))
        } catch {
            throw DeliveryError(.formInvalid, error.message, cause: error)
        }
    }

    private static func formParts(
        _ parts: [DeliveryPart],
        images: [CardID: Data]
    ) throws(DeliveryError) -> [MultipartForm.Part] {
        var result: [MultipartForm.Part] = []
        for part in parts {
            switch part.content {
            case .text(let value):
                result.append(.text(value.reveal(), name: part.name))
            case .image(let card, let filename, let contentType):
                guard let image = images[card] else {
                    throw DeliveryError(.imageMissing, "the image of card \(card) is not in the sandbox; run fsck")
                }
                result.append(.file(.bytes(image), name: part.name, filename: filename, contentType: contentType))
            }
        }
        return result
    }

    /// The key as a Structured Field String: the quotes are syntax (RFC 8941 section 3.3.3).
    private static func keyHeader(_ key: String) throws(DeliveryError) -> String {
        guard !key.isEmpty, key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw DeliveryError(.formInvalid, "the idempotency key must be printable ASCII; form the delivery anew")
        }
        return "\"" + key.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// Takes out of messages what was sent as text, and what the images hold.
    private static func mask(for delivery: OutboundDelivery) -> MessageMask {
        MessageMask(
            sent: delivery.parts.compactMap { part in
                if case .text(let value) = part.content { value.reveal() } else { nil }
            },
            confidential: delivery.confidential.map { $0.reveal() }
        )
    }
}
