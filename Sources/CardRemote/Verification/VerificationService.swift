package import CardModel
import Foundation
import MultipartForm

/// A verification service of any dialect, which reads a photo of one side. A call may be repeated, at the cost of quota.
package final class VerificationService: Verifier {
    private let dialect: VerificationDialect
    private let credentials: Credentials
    private let http: HTTPEndpoint
    package let terms: Redacted<String>

    /// Sets up the service; the caller must call ``shutdown()`` before releasing it.
    ///
    /// - Throws: `url_invalid`, `proxy_invalid`, `tls_…`, `credentials_missing`.
    package init(_ settings: VerificationSettings) throws(CodedError) {
        self.dialect = settings.dialect
        self.credentials = try Credentials(settings)
        let path = settings.dialect.form.path
        self.http = try HTTPEndpoint(settings.endpoint, section: "verification", defaultPath: path)
        let account = [settings.apiKey.reveal(), settings.apiSecret.reveal(), settings.authentication.rawValue]
        self.terms = Redacted("\(settings.endpoint.terms.reveal()) \(settings.dialect.rawValue) \(account)")
    }

    package var provider: String { self.dialect.rawValue }

    package var parameters: String { self.dialect.form.parameters }

    package var endpoint: String { self.http.address.authority }

    /// Connects to the service without sending a photo.
    package func probe() async -> EndpointProbe { await self.http.probe() }

    package func verify(_ image: PreparedImage) async throws -> VerificationOutcome {
        let form: MultipartForm
        do {
            form = try self.dialect.form.form(image, credentials: self.credentials.parts())
        } catch {
            // The parts are valid, so the only possible error is that the photo contains all 64 derived boundaries.
            return .failed(RemoteFailure(.transient, code: "\(error.code)", message: .verifierForm(error.code)))
        }
        switch await self.http.post(.form(form)) {
        case .reply(let reply):
            return ReplyReading(reply, dialect: self.dialect, isSecret: self.credentials.occur).outcome
        case .failure(let failure): return .failed(failure.remoteFailure(afterSend: .transient))
        case .cancelled: throw CancellationError()
        }
    }

    package func reload() throws(CodedError) { try self.http.reload() }

    /// Closes the connections; current calls throw `CancellationError`.
    package func shutdown() async { await self.http.shutdown() }
}

/// The vendor's three interfaces with the name "ocridcard"; the raw values are those of `verification.dialect`. Nothing is public
/// about others, `cardpp/v2/ocridcard` and a v5 for cards of the mainland.
package enum VerificationDialect: String, CaseIterable, Sendable, Codable {
    /// FaceID v1, `/faceid/v1/ocridcard`.
    case faceIDv1 = "faceid-v1"
    /// FaceID v3, `/faceid/v3/ocridcard`.
    case faceIDv3 = "faceid-v3"
    /// Face++ cardpp v1, `/cardpp/v1/ocridcard`.
    case faceppv1 = "facepp-v1"
}

/// The service that reads photos, and the account (`verification.*`).
package struct VerificationSettings: Sendable {
    /// How requests are authenticated (`verification.auth`).
    package enum Authentication: String, CaseIterable, Sendable, Codable {
        /// The parts `api_key` and `api_secret`, as every dialect documents them.
        case key
        /// The parts `sign` and `sign_version`: a new signature for every attempt.
        case sign
    }

    /// The endpoint of the service; if its URL has no path, that of the dialect is used.
    package var endpoint: EndpointSettings
    /// The dialect of the service (`verification.dialect`).
    package var dialect: VerificationDialect = .faceIDv1
    /// The account's key (`verification.api_key`).
    package var apiKey: Redacted<String>
    /// The account's secret (`verification.api_secret`).
    package var apiSecret: Redacted<String>
    /// How key and secret are used (`verification.auth`).
    package var authentication: Authentication = .key

    package init(endpoint: EndpointSettings, apiKey: Redacted<String>, apiSecret: Redacted<String>) {
        self.endpoint = endpoint
        self.apiKey = apiKey
        self.apiSecret = apiSecret
    }
}
