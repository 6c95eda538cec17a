import Crypto
import FoundationEssentials

/// Knows the accounts and decides whether a request is of one of them.
///
/// A request has the parts `api_key` and `api_secret`, or `sign` and `sign_version` (`hmac_sha1`), never both. A
/// signature is refused when it was not made with the secret, when its time is over, or when it is one for a single use
/// and comes again. Every refusal of a credential is the same `AUTHENTICATION_ERROR`.
struct VerifierAccounts: Sendable {
    private let secrets: [String: String]
    private let now: @Sendable () -> Date
    private let usedSigns = UsedSigns()

    init(secrets: [String: String], now: @escaping @Sendable () -> Date) {
        self.secrets = secrets
        self.now = now
    }

    /// Checks the credentials of a form.
    ///
    /// - Throws: ``VerifierFault`` for the first thing wrong.
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

    /// Compares digests, so that the time taken says nothing about the secret.
    private func isSecret(_ secret: String, of key: String) -> Bool {
        let known = self.secrets[key]
        let given = SHA256.hash(data: Array(secret.utf8))
        let expected = SHA256.hash(data: Array((known ?? "").utf8))
        return given == expected && known != nil
    }

    private func isValid(_ sign: ReceivedSign) -> Bool {
        guard let secret = self.secrets[sign.key], sign.isMade(with: secret) else { return false }
        let now = Int64(self.now().timeIntervalSince1970)
        guard sign.expiry == 0 else { return sign.time < sign.expiry && now <= sign.expiry }
        return self.usedSigns.admit(sign, now: now)
    }
}
