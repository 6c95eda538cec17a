package import CardModel
package import Foundation
import MultipartForm

/// The business backend: makes the forms of deliveries and sends them, in every attempt with the same bytes and the same
/// `Idempotency-Key`.
package final class BusinessBackend: Backend {
    package let layout: DeliveryLayoutKind
    /// The account of cards without one.
    package let defaultUserNumber: Redacted<String>?
    package let body: DeliveryBody
    private let form: DeliveryLayout
    private let token: CurrentToken
    private let replies: BackendReply
    private let http: HTTPEndpoint
    package let terms: Redacted<String>

    /// Sets up the backend; the caller must call ``shutdown()`` before releasing it.
    ///
    /// - Throws: `url_invalid`, `proxy_invalid`, `tls_…`, `encryption_invalid`, `encryption_unsupported`.
    package init(_ settings: DeliverySettings) throws(CodedError) {
        self.layout = settings.layout
        self.defaultUserNumber = settings.userNumber
        self.body = settings.body
        self.form = DeliveryLayout(settings: settings)
        self.token = CurrentToken(source: settings.token, partName: settings.form.token)
        var replies = BackendReply(table: settings.retcodes, names: settings.reply)
        if let encryption = settings.encryption { replies.cipher = try ReplyCipher(encryption) }
        self.replies = replies
        self.http = try HTTPEndpoint(settings.endpoint, section: "delivery")
        self.terms = settings.terms
    }

    package var endpoint: String { self.http.address.authority }

    /// Connects to the backend without sending a form.
    package func probe() async -> EndpointProbe { await self.http.probe() }

    /// Makes the parts of one delivery with the current TOKEN.
    ///
    /// - Throws: class `stop` with `token_unavailable`; class `rejected` with `user_no_missing`, `member_count` or
    ///   `member_mismatch`; class `notSent` if the calling task is cancelled.
    package func parts(for members: [DeliveryMember]) async throws(RemoteFailure) -> [DeliveryPart] {
        let token: Redacted<String>
        do {
            token = try await self.token.current()
        } catch let error as CodedError {
            throw RemoteFailure(.stop, code: "token_unavailable", message: error.message)
        } catch is CancellationError {
            throw RemoteFailure(.notSent, code: "cancelled", message: .backendInterrupted)
        } catch {
            throw RemoteFailure(.stop, code: "token_unavailable", message: .backendNoToken)
        }
        return try self.form.parts(for: members, token: token)
    }

    /// Derives, from the key of a delivery, a boundary that occurs in none of its parts.
    ///
    /// The boundary is stored with the delivery, so that later attempts send the same bytes even if a later version derives
    /// boundaries differently. It is empty for a raw body.
    ///
    /// - Throws: class `rejected` with `image_missing` or `form_invalid`.
    package func boundary(
        for key: String,
        parts: [DeliveryPart],
        images: [CardID: Data]
    ) throws(RemoteFailure) -> String {
        if self.body == .octetStream {
            _ = try DeliveryRequest.image(of: OctetStreamUpload.request(for: parts).card, in: images)
            return ""
        }
        let formParts = try DeliveryRequest.formParts(parts, images: images)
        do {
            return try Boundary.derived(from: key, absentFrom: formParts).value
        } catch {
            throw DeliveryRequest.invalid(.backendForm(error.code))
        }
    }

    /// Makes one attempt.
    ///
    /// - Parameter progress: called with the bytes of the body that the socket has accepted, and their total; it must not block.
    /// - Throws: only `CancellationError`, if the calling task was cancelled after the request had been handed to a connection, so
    ///   that its result is unknown. If it was cancelled before, the outcome is `notSent`.
    package func send(_ delivery: OutboundDelivery, progress: ByteProgress? = nil) async throws -> DeliveryOutcome {
        let request: DeliveryRequest
        do throws(RemoteFailure) {
            request = try DeliveryRequest(delivery)
        } catch {
            return .failed(error)
        }
        switch await self.http.post(request.body, headers: request.headers, progress: progress) {
        case .reply(let reply):
            return self.replies.outcome(of: reply, mask: MessageMask(delivery), shape: DeliveryShape(of: delivery))
        case .failure(let failure): return .failed(failure.remoteFailure(afterSend: .unknown))
        case .cancelled(.notSent):
            return .failed(RemoteFailure(.notSent, code: "cancelled", message: .backendInterrupted))
        case .cancelled(.afterSend): throw CancellationError()
        }
    }

    package func token(in parts: [DeliveryPart]) -> Redacted<String>? { self.token.token(in: parts) }

    /// Reads the TOKEN again; returns whether it differs from the one in the form.
    package func refreshToken(staleIn parts: [DeliveryPart]) async -> Bool {
        await self.token.isRenewed(since: parts)
    }

    package func reload() throws(CodedError) { try self.http.reload() }

    /// Closes the connections; current calls end as interrupted.
    package func shutdown() async { await self.http.shutdown() }
}
