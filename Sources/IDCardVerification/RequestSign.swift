import Crypto
import Foundation

/// The signature that stands for key and secret in a request (`sign_version=hmac_sha1`).
///
/// `Base64(HMAC-SHA1(secret, raw) || raw)` in the standard alphabet without line breaks, where `raw` is
/// `a={key}&b={expiry}&c={now}&d={random}`. Times are seconds since 1970, `b` is after `c`, and a `b` of 0 makes a
/// signature that is taken once.
///
/// | key | secret | expiry | now | random | the value begins with |
/// |---|---|---|---|---|---|
/// | `test_api_key` | `test_api_secret` | 1700000100 | 1700000000 | 1234567890 | `/uunz0L3/4DQXzN1cJBeYFaDkChhPXRl` |
///
/// Source: faceid.com/faceid-open-doc/docs/sdkauth.html; the public SDK zuochengyao/MegviiFaceID agrees. SHA-1 is the
/// vendor's choice.
struct RequestSign {
    /// The version's name, the value of the part `sign_version`.
    static let version = "hmac_sha1"

    /// The value of the part `sign`.
    let value: String

    /// Signs a request.
    ///
    /// - Parameters:
    ///   - key: the account's key, which stands in the signature in clear.
    ///   - secret: the account's secret, which does not.
    ///   - expiry: seconds since 1970 after which it is refused; 0 for one use.
    ///   - now: seconds since 1970.
    ///   - random: a number of at most ten digits.
    init(key: String, secret: String, expiry: Int64, now: Int64, random: UInt64) {
        let raw = Data("a=\(key)&b=\(expiry)&c=\(now)&d=\(random)".utf8)
        let code = HMAC<Insecure.SHA1>.authenticationCode(for: raw, using: SymmetricKey(data: Data(secret.utf8)))
        self.value = (Data(code) + raw).base64EncodedString()
    }
}
