import CardModel
import Crypto
import Foundation
import MultipartForm

/// Authenticates requests with the key and the secret of an account.
struct Credentials: Sendable {
    private let key: Redacted<String>
    private let secret: Redacted<String>
    private let authentication: VerificationSettings.Authentication

    /// Checks the credentials of a configuration.
    ///
    /// - Throws: `credentials_missing`.
    init(_ settings: VerificationSettings) throws(CodedError) {
        for (name, value) in [("api_key", settings.apiKey), ("api_secret", settings.apiSecret)]
        where value.reveal().isEmpty {
            throw .configuration("credentials_missing", .verifierCredentialEmpty("verification.\(name)"))
        }
        self.key = settings.apiKey
        self.secret = settings.apiSecret
        self.authentication = settings.authentication
    }

    /// Returns the form parts that authenticate one attempt.
    func parts() -> [MultipartForm.Part] {
        switch self.authentication {
        case .key:
            return [.text(self.key.reveal(), name: "api_key"), .text(self.secret.reveal(), name: "api_secret")]
        case .sign:
            let sign = RequestSign(
                key: self.key.reveal(),
                secret: self.secret.reveal(),
                now: Int64(Date().timeIntervalSince1970),
                random: .random(in: 0...9_999_999_999)
            )
            return [.text(sign.value, name: "sign"), .text(RequestSign.version, name: "sign_version")]
        }
    }

    /// Whether a text contains the key or the secret.
    func occur(in text: String) -> Bool {
        text.contains(self.key.reveal()) || text.contains(self.secret.reveal())
    }
}

/// The signature that replaces key and secret in a request (`sign_version=hmac_sha1`).
///
/// `Base64(HMAC-SHA1(secret, raw) || raw)` in the standard alphabet without line breaks, where `raw` is
/// `a={key}&b={expiry}&c={now}&d={random}`. Times are seconds since 1970.
///
/// | key | secret | expiry | now | random | the value begins with |
/// |---|---|---|---|---|---|
/// | `test_api_key` | `test_api_secret` | 1700000100 | 1700000000 | 1234567890 | `/uunz0L3/4DQXzN1cJBeYFaDkChhPXRl` |
///
/// Source: faceid.com/faceid-open-doc/docs/sdkauth.html; the public SDK zuochengyao/MegviiFaceID agrees. SHA-1 is the
/// vendor's choice.
struct RequestSign {
    static let version = "hmac_sha1"

    let value: String

    /// - Parameters:
    ///   - key: the account's key, which the signature contains in clear.
    ///   - secret: the account's secret, which the signature does not contain.
    ///   - now: seconds since 1970.
    ///   - lifetime: how long the signature is valid, in seconds.
    ///   - random: a number of at most ten digits.
    init(key: String, secret: String, now: Int64, lifetime: Int64 = Limits.signatureLifetime, random: UInt64) {
        let raw = Data("a=\(key)&b=\(now + lifetime)&c=\(now)&d=\(random)".utf8)
        let code = HMAC<Insecure.SHA1>.authenticationCode(for: raw, using: SymmetricKey(data: Data(secret.utf8)))
        self.value = (Data(code) + raw).base64EncodedString()
    }
}
