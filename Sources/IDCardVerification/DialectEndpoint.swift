import Foundation
import IDCardCore
import IDCardMultipartForm
import OutboundHTTP

/// An endpoint that speaks one dialect: posts a photo and says what came of it.
struct DialectEndpoint: Sendable {
    private let dialect: VerificationDialect
    private let endpoint: RemoteEndpoint
    private let credentials: Credentials
    private let timeout: Duration
    private let http: OutboundHTTPClient

    /// Checks the address.
    ///
    /// - Throws: ``VerificationError``: `invalid_url`.
    init(
        _ configuration: VerificationClient.Configuration,
        credentials: Credentials,
        http: OutboundHTTPClient
    ) throws(VerificationError) {
        do {
            self.endpoint = try RemoteEndpoint(configuration.url, defaultPath: configuration.dialect.defaultPath)
        } catch {
            throw VerificationError(.invalidURL, "verification.url: \(error.message)", cause: error)
        }
        self.dialect = configuration.dialect
        self.credentials = credentials
        self.timeout = configuration.timeout
        self.http = http
    }

    /// Has one photo read.
    func verify(_ jpeg: Data, boundaryKey: String) async -> VerificationOutcome {
        let form: MultipartForm
        do {
            form = try self.dialect.form.form(jpeg, credentials: self.credentials.parts(), boundaryKey: boundaryKey)
        } catch {
            // The parts are ours and in memory: only a boundary found in the photo 64 times over can come here.
            return .failed(RemoteFailure(.transient, code: error.code.description, message: error.message))
        }
        switch await self.http.post(form, to: self.endpoint, deadline: self.timeout) {
        case .reply(let reply):
            return ReplyReading(reply, dialect: self.dialect, isSecret: self.credentials.occur).outcome
        case .failure(let failure):
            return .failed(failure.remoteFailure(afterSend: .transient))
        case .cancelled:
            // Interrupted is not failed: a class that costs no attempt, whatever was sent; reading twice is harmless.
            return .failed(
                RemoteFailure(.notSent, code: "cancelled", message: "the verification was interrupted; it is repeated")
            )
        }
    }
}
