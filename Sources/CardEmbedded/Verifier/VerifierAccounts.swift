import Crypto
import FoundationEssentials

/// Authenticates requests by the accounts.
///
/// A request has the parts `api_key` and `api_secret`, or `sign` and `sign_version` (`hmac_sha1`), never both. A
/// signature is refused when it was not made with the secret or has expired; single-use signatures, without an expiry,
/// are not supported. Every refusal of a credential is the same `AUTHENTICATION_ERROR`.
struct VerifierAccounts: Sendable {
    let secrets: [String: String]
    let now: @Sendable () -> Date

    /// Checks the credentials of a form.
    ///
    /// - Throws: ``VerifierFault`` for the first error.
    func admit(_ form: ReceivedForm) throws(VerifierFault) {
        let (key, secret) = (try form.value(of: "api_key"), try form.value(of: "api_secret"))
        let (sign, version) = (try form.value(of: "sign"), try form.value(of: "sign_version"))
        guard sign != nil || version != nil else {
            guard let key else { throw .missing("api_key") }
            guard let secret else { throw .missing("api_secret") }
            guard self.isSecret(secret, of: key) else { throw .authentication }
            return
        }
        guard key == nil, secret == nil else { throw .coexistence }
        guard let sign else { throw .missing("sign") }
        guard let version else { throw .missing("sign_version") }
        guard version == "hmac_sha1" else { throw .bad("sign_version") }
        guard let received = ReceivedSign(sign), self.isValid(received) else { throw .authentication }
    }

    /// Compares digests, so that the duration reveals nothing about the secret.
    private func isSecret(_ secret: String, of key: String) -> Bool {
        let known = self.secrets[key]
        let given = SHA256.hash(data: Array(secret.utf8))
        let expected = SHA256.hash(data: Array((known ?? "").utf8))
        return given == expected && known != nil
    }

    private func isValid(_ sign: ReceivedSign) -> Bool {
        guard let secret = self.secrets[sign.key], sign.isMade(with: secret) else { return false }
        let now = Int64(self.now().timeIntervalSince1970)
        return sign.time < sign.expiry && now <= sign.expiry
    }
}

/// A signature as it was received: `Base64(code || raw)`, where the code is the HMAC-SHA1 of `raw` under the account's
/// secret, 20 bytes, and `raw` is `a={key}&b={expiry}&c={time}&d={random}`.
///
/// Written after the vendor's description (faceid.com/faceid-open-doc/docs/sdkauth.html) and not after any client.
private struct ReceivedSign {
    private static let codeLength = Insecure.SHA1.byteCount

    let key: String
    /// The last second, since 1970, at which it is valid; 0 for a single use.
    let expiry: Int64
    /// The second, since 1970, at which it was made.
    let time: Int64
    private let raw: Data
    private let code: Data

    /// Parses a signature; `nil` if it is malformed.
    init?(_ text: String) {
        guard let bytes = Data(base64Encoded: text), bytes.count > Self.codeLength else { return nil }
        let raw = Data(bytes.dropFirst(Self.codeLength))
        let fields = /a=([^&]+)&b=([0-9]+)&c=([0-9]+)&d=[0-9]{1,10}/
        guard let match = String(validating: raw, as: UTF8.self)?.wholeMatch(of: fields)?.output,
            let expiry = Int64(match.2), let time = Int64(match.3)
        else { return nil }
        self.key = String(match.1)
        self.expiry = expiry
        self.time = time
        self.raw = raw
        self.code = Data(bytes.prefix(Self.codeLength))
    }

    /// Whether it was made with a secret; the duration reveals nothing about the secret.
    func isMade(with secret: String) -> Bool {
        let key = SymmetricKey(data: Array(secret.utf8))
        return HMAC<Insecure.SHA1>.isValidAuthenticationCode(self.code, authenticating: self.raw, using: key)
    }
}
