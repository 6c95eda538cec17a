package import CardModel

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

    /// Takes what has no default.
    package init(endpoint: EndpointSettings, apiKey: Redacted<String>, apiSecret: Redacted<String>) {
        self.endpoint = endpoint
        self.apiKey = apiKey
        self.apiSecret = apiSecret
    }
}
