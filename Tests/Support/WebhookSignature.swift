import Crypto
package import Foundation

/// The header fields of a webhook that is signed by the rules of Standard Webhooks 1.0.0.
package enum WebhookSignature {
    /// Signs a body as of a time in seconds, or as now.
    package static func headers(
        of body: Data,
        id: String,
        secret: Data,
        time: String = "\(Int(Date().timeIntervalSince1970))"
    ) -> [String: String] {
        var code = HMAC<SHA256>(key: SymmetricKey(data: secret))
        code.update(data: Data("\(id).\(time).".utf8) + body)
        let signature = "v1," + Data(code.finalize()).base64EncodedString()
        return ["webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature]
    }
}

/// The signature of a request to the verification service, as the vendor has it.
package enum RequestSignature {
    /// Returns `Base64(HMAC-SHA1(raw) || raw)`.
    package static func value(of raw: String, secret: String) -> String {
        let key = SymmetricKey(data: Data(secret.utf8))
        let code = HMAC<Insecure.SHA1>.authenticationCode(for: Data(raw.utf8), using: key)
        return (Data(code) + Data(raw.utf8)).base64EncodedString()
    }
}
