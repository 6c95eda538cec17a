import Crypto
import Foundation
import IDCardCore

/// A secret that a sender of webhooks shares with us (Standard Webhooks 1.0.0): 24 to 64 random bytes.
package struct WebhookSecret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let bytes: Redacted<Data>

    /// Reads a secret: Base64, with `whsec_` before it or without (`webhooks.secrets`).
    ///
    /// - Throws: `ServerError.webhookSecret`.
    package init(_ text: String) throws {
        let prefix = "whsec_"
        let base64 = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
        guard let bytes = Data(base64Encoded: base64), 24...64 ~= bytes.count else {
            throw ServerError(
                .webhookSecret,
                "a webhook secret is no Base64 of 24 to 64 bytes, with whsec_ before it (webhooks.secrets)"
            )
        }
        self.bytes = Redacted(bytes)
    }

    /// A signature that is yet to see the message.
    func signature() -> HMAC<SHA256> { HMAC<SHA256>(key: SymmetricKey(data: self.bytes.reveal())) }

    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
