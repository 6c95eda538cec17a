import Foundation
import IDCardCore
import MultipartForm
import OutboundHTTP

/// The dialect FaceID v1: `POST /faceid/v1/ocridcard` with `api_key`, `api_secret`, `legality` and the file part
/// `image`.
///
/// Source: an integrator's copy of "OCRIDCard v1.0.0" and the public SDK zuochengyao/MegviiFaceID; the vendor's own
/// page was not to be had.
struct FaceIDv1Client: Sendable {
    private let endpoint: RemoteEndpoint
    private let apiKey: Redacted<String>
    private let apiSecret: Redacted<String>
    private let timeout: Duration
    private let http: OutboundHTTPClient

    /// Checks the configuration.
    init(_ configuration: VerificationClient.Configuration, http: OutboundHTTPClient) throws(VerificationError) {
        do {
            self.endpoint = try RemoteEndpoint(
                configuration.url,
                defaultPath: VerificationDialect.faceIDv1.defaultPath
            )
        } catch {
            throw VerificationError(.invalidURL, "verification.url: \(error.message)", cause: error)
        }
        for (name, value) in [("api_key", configuration.apiKey), ("api_secret", configuration.apiSecret)]
        where value.reveal().isEmpty {
            throw VerificationError(.missingCredentials, "verification.\(name) is empty: set it to the account's value")
        }
        self.apiKey = configuration.apiKey
        self.apiSecret = configuration.apiSecret
        self.timeout = configuration.timeout
        self.http = http
    }

    /// This dialect behind the common face.
    var client: VerificationClient {
        VerificationClient(
            provider: VerificationDialect.faceIDv1.rawValue,
            parameters: "legality=1",
            call: { jpeg, boundaryKey in await self.verify(jpeg, boundaryKey: boundaryKey) }
        )
    }

    private func verify(_ jpeg: Data, boundaryKey: String) async -> VerificationOutcome {
        let form: MultipartForm
        do {
            form = try self.form(jpeg, boundaryKey: boundaryKey)
        } catch {
            // The parts are ours and in memory: only a boundary found in the photo 64 times over can come here.
            return .failed(RemoteFailure(.transient, code: error.code.description, message: error.message))
        }
        switch await self.http.post(form, to: self.endpoint, deadline: self.timeout) {
        case .reply(let reply):
            return FaceIDv1Reply.outcome(of: reply)
        case .failure(let failure):
            return .failed(failure.remoteFailure(afterSend: .transient))
        case .cancelled:
            // Interrupted is not failed: a class that costs no attempt, whatever was sent; reading twice is harmless.
            return .failed(
                RemoteFailure(.notSent, code: "cancelled", message: "the verification was interrupted; it is repeated")
            )
        }
    }

    /// The form of one photo; the file name is made up, so that none of the user's goes out.
    func form(_ jpeg: Data, boundaryKey: String) throws(MultipartFormError) -> MultipartForm {
        let parts: [MultipartForm.Part] = [
            .text(self.apiKey.reveal(), name: "api_key"),
            .text(self.apiSecret.reveal(), name: "api_secret"),
            .text("1", name: "legality"),
            .file(.bytes(jpeg), name: "image", filename: "idcard.jpg", contentType: "image/jpeg"),
        ]
        return try MultipartForm(parts: parts, boundary: .derived(from: boundaryKey, absentFrom: parts))
    }
}
