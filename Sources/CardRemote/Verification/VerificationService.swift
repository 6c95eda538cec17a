package import CardModel
import Foundation
import MultipartForm

/// A verification service that reads one photo of one side, whatever its dialect; asking again is harmless and costs
/// quota only.
package final class VerificationService: Verifier {
    private let dialect: VerificationDialect
    private let credentials: Credentials
    private let http: HTTPEndpoint
    package let terms: Redacted<String>

    /// Sets the service up; ``shutdown()`` must be called before it is released.
    ///
    /// - Throws: `url_invalid`, `proxy_invalid`, `tls_…`, `credentials_missing`.
    package init(_ settings: VerificationSettings) throws(CodedError) {
        self.dialect = settings.dialect
        self.credentials = try Credentials(settings)
        self.http = try HTTPEndpoint(
            settings.endpoint,
            section: "verification",
            defaultPath: settings.dialect.form.path
        )
        let account = [settings.apiKey.reveal(), settings.apiSecret.reveal(), settings.authentication.rawValue]
        self.terms = Redacted("\(settings.endpoint.terms.reveal()) \(settings.dialect.rawValue) \(account)")
    }

    package var provider: String { self.dialect.rawValue }

    package var parameters: String { self.dialect.form.parameters }

    package var endpoint: String { self.http.address.authority }

    /// Connects to the service without asking it anything.
    package func probe() async -> EndpointProbe { await self.http.probe() }

    package func verify(_ image: PreparedImage) async throws -> VerificationOutcome {
        let form: MultipartForm
        do {
            form = try self.dialect.form.form(image, credentials: self.credentials.parts())
        } catch {
            // The parts are ours and in memory: only a boundary found in the photo 64 times over can come here.
            return .failed(RemoteFailure(.transient, code: "\(error.code)", message: .verifierForm(error.code)))
        }
        switch await self.http.post(.form(form)) {
        case .reply(let reply):
            return ReplyReading(reply, dialect: self.dialect, isSecret: self.credentials.occur).outcome
        case .failure(let failure):
            return .failed(failure.remoteFailure(afterSend: .transient))
        case .cancelled:
            throw CancellationError()
        }
    }

    package func reload() throws(CodedError) { try self.http.reload() }

    /// Closes the connections; calls under way end with `CancellationError`.
    package func shutdown() async { await self.http.shutdown() }
}

/// The wire dialects that are all called "ocridcard"; the raw values are those of `verification.dialect`.
///
/// There is no other: of `cardpp/v2/ocridcard` and of a v5 for cards of the mainland nothing is public.
package enum VerificationDialect: String, CaseIterable, Sendable, Codable {
    /// FaceID v1, `/faceid/v1/ocridcard`.
    case faceIDv1 = "faceid-v1"
    /// FaceID v3, `/faceid/v3/ocridcard`.
    case faceIDv3 = "faceid-v3"
    /// Face++ cardpp v1, `/cardpp/v1/ocridcard`.
    case faceppv1 = "facepp-v1"
}

/// Where photos are sent to be read, and as whom (`verification.*`).
package struct VerificationSettings: Sendable {
    /// How a request says whose it is (`verification.auth`).
    package enum Authentication: String, CaseIterable, Sendable, Codable {
        /// The parts `api_key` and `api_secret`, as every dialect documents them.
        case key
        /// The parts `sign` and `sign_version`: a signature, a fresh one for every attempt.
        case sign
    }

    /// How the service is reached; its URL is a base, to which the dialect's path is appended, or a full one.
    package var endpoint: EndpointSettings
    /// The dialect it speaks (`verification.dialect`).
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
