package import Foundation
package import IDCardCore
import IDCardMultipartForm
package import OutboundHTTP

/// Delivers persisted deliveries: the same bytes under the same `Idempotency-Key` at every attempt.
package struct BusinessBackendClient: Sendable {
    private let endpoint: RemoteEndpoint
    private let timeout: Duration
    private let body: UploadBody
    private let replies: BackendReply
    private let http: OutboundHTTPClient

    /// Checks the configuration.
    ///
    /// - Throws: ``DeliveryError``: `invalid_url`, `invalid_encryption` or `unsupported_encryption`.
    package init(_ configuration: Configuration, http: OutboundHTTPClient) throws(DeliveryError) {
        do {
            self.endpoint = try RemoteEndpoint(configuration.url)
        } catch {
            throw DeliveryError(.invalidURL, "delivery.url: \(error.message)", cause: error)
        }
        self.timeout = configuration.timeout
        self.body = configuration.body
        var replies = BackendReply(table: configuration.retcodes, names: configuration.replyNames)
        if let encryption = configuration.replyEncryption { replies.cipher = try ReplyCipher(encryption) }
        self.replies = replies
        self.http = http
    }

    /// Derives the boundary of a delivery from its key and proves it absent from every part.
    ///
    /// It is persisted with the delivery and never derived again: a change of the derivation must not change bytes
    /// already sent. Where the image is sent raw, the result is the recipe of that instead.
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
        if case .octetStream(let upload) = self.body {
            _ = try UploadRequest.image(of: upload.request(for: parts).card, in: images)
            return upload.recipe
        }
        let formParts = try UploadRequest.formParts(parts, images: images)
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
        let request: UploadRequest
        do {
            request = try UploadRequest(delivery)
        } catch {
            // Nothing was sent, and the same recipe would fail again: an answer as definite as the remote's.
            return .failed(RemoteFailure(.rejected, code: error.code.description, message: error.message))
        }
        let exchange = await request.send(by: self.http, to: self.endpoint, deadline: self.timeout)
        switch exchange {
        case .reply(let reply):
            return self.replies.outcome(
                of: reply,
                mask: Self.mask(for: delivery),
                shape: DeliveryShape(of: delivery.parts)
            )
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
