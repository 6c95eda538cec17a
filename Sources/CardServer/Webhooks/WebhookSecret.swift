package import CardModel
import Crypto
import Foundation
import HTTPTypes
import Synchronization

/// A secret that a sender of webhooks shares with us (Standard Webhooks 1.0.0): 24 to 64 random bytes.
package struct WebhookSecret: Hashable, Sendable {
    /// Who signs with it: the submitter of what comes. Several secrets may have one name, so that one can take
    /// another's place without a gap.
    package let name: String
    private let bytes: Redacted<Data>

    /// Reads a secret: Base64, with `whsec_` before it or without; or `NAME=whsec_…` (`webhooks.secrets`).
    ///
    /// - Throws: `webhook_secret_invalid`.
    package init(_ text: Redacted<String>) throws(CodedError) {
        let text = text.reveal()
        let parts = text.range(of: "=whsec_").map { (text[..<$0.lowerBound], text[$0.upperBound...]) }
        let name = String(parts?.0 ?? Self.nameless[...])
        let base64 = parts.map { String($0.1) } ?? (text.hasPrefix("whsec_") ? String(text.dropFirst(6)) : text)
        guard AccessToken.isName(name) else { throw Self.invalid(.webhookName) }
        guard let bytes = Data(base64Encoded: base64), 24...64 ~= bytes.count else {
            throw Self.invalid(.webhookSecret(name))
        }
        self.name = name
        self.bytes = Redacted(bytes)
    }

    /// The name of a secret that has none.
    private static let nameless = "webhook"

    /// The names that no token may have: token and secret would be one submitter.
    package static func names(of secrets: [WebhookSecret]) -> Set<String> { Set(secrets.map(\.name) + [self.nameless]) }

    /// Reads several, on lines of their own or with commas between; only one that stands alone needs no name.
    ///
    /// - Throws: `webhook_secret_invalid`.
    package static func secrets(in text: Redacted<String>) throws(CodedError) -> [WebhookSecret] {
        let parts = text.reveal().split(whereSeparator: { $0 == "," || $0.isNewline }).map(\.trimmed)
            .filter { !$0.isEmpty }
        let secrets = try parts.map { part throws(CodedError) in try WebhookSecret(Redacted(part)) }
        guard parts.count < 2 || parts.allSatisfy({ $0.contains("=whsec_") }) else {
            throw Self.invalid(.webhookNameless(self.nameless))
        }
        return secrets
    }

    private static func invalid(_ message: Message) -> CodedError {
        CodedError(ReasonCode(rawValue: "webhook_secret_invalid"), .configuration, message)
    }

    /// A signature that is yet to see the message.
    func signature() -> HMAC<SHA256> { HMAC<SHA256>(key: SymmetricKey(data: self.bytes.reveal())) }
}

/// The secrets that the next webhook is checked with.
final class WebhookSecrets: Sendable {
    let current: Mutex<[WebhookSecret]>

    init(_ secrets: [WebhookSecret]) { self.current = Mutex(secrets) }
}

/// Why a webhook is not accepted: for the log, never for the sender.
struct WebhookRefusal: Error {
    let reason: String

    static let signature = Self(reason: "no secret made this signature")

    /// - Parameter ahead: by how much the sender's clock is ahead of ours.
    fileprivate static func time(ahead: Duration) -> Self {
        let seconds = ahead.components.seconds
        return Self(reason: "webhook-timestamp is \(abs(seconds)) s \(seconds > 0 ? "ahead" : "behind")")
    }

    fileprivate static func header(_ name: HTTPField.Name) -> Self {
        Self(reason: "\(name.rawName) is missing or malformed")
    }
}

/// Checks one message of a sender, piece by piece as it arrives (Standard Webhooks 1.0.0, symmetric signatures).
struct WebhookVerification {
    /// `webhook-id`: the name of the message, the same for every attempt to send it.
    let id: String
    private let presented: [Data]
    private var computed: [(name: String, signature: HMAC<SHA256>)]

    /// Reads the header fields.
    ///
    /// - Throws: if one is missing or malformed, the time is too far from ours, or there is no secret: then nothing can be
    ///   believed, and nothing need be read.
    init(headers: HTTPFields, secrets: [WebhookSecret], now: Timestamp) throws(WebhookRefusal) {
        guard !secrets.isEmpty else { throw WebhookRefusal(reason: "webhooks.secrets is empty") }
        // A dot would let another id and time be read out of what was signed.
        guard let id = Self.single(.webhookID, of: headers), id.utf8.count <= Limits.webhookIDBytes,
            id.wholeMatch(of: /[!-\-\/-~]+/) != nil
        else { throw .header(.webhookID) }
        // Digits alone: what was signed is this very text.
        guard let time = Self.single(.webhookTimestamp, of: headers), time.wholeMatch(of: /[0-9]{1,12}/) != nil,
            let seconds = Int64(time)
        else { throw .header(.webhookTimestamp) }
        let ahead = Timestamp(millisecondsSinceEpoch: seconds * 1000).duration(since: now)
        guard ahead <= Limits.webhookSkew, ahead >= .zero - Limits.webhookSkew else { throw .time(ahead: ahead) }
        // Other versions (`v1a`) may stand beside ours.
        self.presented = (Self.single(.webhookSignature, of: headers) ?? "").split(separator: " ")
            .prefix(Limits.webhookSignatures)
            .filter { $0.hasPrefix("v1,") }
            .compactMap { Data(base64Encoded: String($0.dropFirst(3))) }
            .filter { $0.count == SHA256.byteCount }
        guard !self.presented.isEmpty else { throw .header(.webhookSignature) }
        self.id = id
        self.computed = secrets.map { secret in
            var signature = secret.signature()
            signature.update(data: Data("\(id).\(time).".utf8))
            return (secret.name, signature)
        }
    }

    /// Takes the next bytes of the body.
    mutating func update(_ bytes: some DataProtocol) {
        for index in self.computed.indices { self.computed[index].signature.update(data: bytes) }
    }

    /// The name of the secret that signed the message; every pair is compared, each in constant time by `HMAC`.
    func signer() -> String? {
        var signer: String?
        for (name, signature) in self.computed {
            let code = signature.finalize()
            for presented in self.presented where code == presented { signer = signer ?? name }
        }
        return signer
    }

    private static func single(_ name: HTTPField.Name, of headers: HTTPFields) -> String? {
        let values = headers[values: name]
        return values.count == 1 ? values[0] : nil
    }
}
