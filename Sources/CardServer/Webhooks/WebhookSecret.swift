package import CardModel
import Crypto
import Foundation
import HTTPTypes
import Synchronization

/// A secret shared with a submitter that sends webhooks (Standard Webhooks 1.0.0): 24 to 64 random bytes.
package struct WebhookSecret: Hashable, Sendable {
    /// The submitter of the cards that are signed with it. Several secrets may have one name, so that one can replace
    /// another without a gap.
    package let name: String
    private let bytes: Redacted<Data>

    /// Reads a secret: Base64, with or without `whsec_` before it; or `NAME=whsec_…` (`webhooks.secrets`).
    ///
    /// - Throws: `webhook_secret_invalid`.
    package init(_ text: Redacted<String>) throws(CodedError) {
        let text = text.reveal()
        let parts = text.range(of: "=whsec_").map { (text[..<$0.lowerBound], text[$0.upperBound...]) }
        let name = String(parts?.0 ?? Self.defaultName[...])
        let base64 = parts.map { String($0.1) } ?? (text.hasPrefix("whsec_") ? String(text.dropFirst(6)) : text)
        guard AccessToken.isName(name) else { throw Self.invalid(.webhookName) }
        guard let bytes = Data(base64Encoded: base64), 24...64 ~= bytes.count else {
            throw Self.invalid(.webhookSecret(name))
        }
        self.name = name
        self.bytes = Redacted(bytes)
    }

    /// The name of a secret that is given without one.
    private static let defaultName = "webhook"

    /// The names that no token may have: token and secret would be one submitter.
    package static func names(of secrets: [WebhookSecret]) -> Set<String> {
        Set(secrets.map(\.name) + [self.defaultName])
    }

    /// Reads several secrets, on separate lines or separated by commas; only a single secret needs no name.
    ///
    /// - Throws: `webhook_secret_invalid`.
    package static func secrets(in text: Redacted<String>) throws(CodedError) -> [WebhookSecret] {
        let parts = text.reveal().split(whereSeparator: { $0 == "," || $0.isNewline }).map(\.trimmed)
            .filter { !$0.isEmpty }
        let secrets = try parts.map { part throws(CodedError) in try WebhookSecret(Redacted(part)) }
        guard parts.count < 2 || parts.allSatisfy({ $0.contains("=whsec_") }) else {
            throw Self.invalid(.webhookNameless(self.defaultName))
        }
        return secrets
    }

    private static func invalid(_ message: Message) -> CodedError {
        CodedError(ReasonCode(rawValue: "webhook_secret_invalid"), .configuration, message)
    }

    /// Begins the signature of a message.
    func signature() -> HMAC<SHA256> { HMAC<SHA256>(key: SymmetricKey(data: self.bytes.reveal())) }
}

/// The secrets with which the next webhook is checked.
final class WebhookSecrets: Sendable {
    let current: Mutex<[WebhookSecret]>

    init(_ secrets: [WebhookSecret]) { self.current = Mutex(secrets) }
}

/// Why a webhook is refused: for the log, never for the client.
struct WebhookRefusal: Error {
    let reason: String

    static let signature = Self(reason: "no secret made this signature")

    /// - Parameter ahead: how far the client's clock is ahead of ours.
    fileprivate static func time(ahead: Duration) -> Self {
        let seconds = ahead.components.seconds
        return Self(reason: "webhook-timestamp is \(abs(seconds)) s \(seconds > 0 ? "ahead" : "behind")")
    }

    fileprivate static func header(_ name: HTTPField.Name) -> Self {
        Self(reason: "\(name.rawName) is missing or malformed")
    }
}

/// Checks the signature of one message, piece by piece as it arrives (Standard Webhooks 1.0.0, symmetric signatures).
struct WebhookVerification {
    /// `webhook-id`: the name of the message, the same for every attempt to send it.
    let id: String
    private let presented: [Data]
    private var computed: [(name: String, signature: HMAC<SHA256>)]

    /// - Throws: if a field is missing or malformed, the time is too far from ours, or there is no secret: then the body
    ///   need not be read.
    init(headers: HTTPFields, secrets: [WebhookSecret], now: Timestamp) throws(WebhookRefusal) {
        guard !secrets.isEmpty else { throw WebhookRefusal(reason: "webhooks.secrets is empty") }
        // A dot would allow another id and time to be read from the signed text.
        guard let id = headers.single(.webhookID), id.utf8.count <= Limits.webhookIDBytes,
            id.wholeMatch(of: /[!-\-\/-~]+/) != nil
        else { throw .header(.webhookID) }
        // Kept as text, which is part of what was signed.
        guard let time = headers.single(.webhookTimestamp), time.wholeMatch(of: /[0-9]{1,12}/) != nil,
            let seconds = Int64(time)
        else { throw .header(.webhookTimestamp) }
        let ahead = Timestamp(millisecondsSinceEpoch: seconds * 1000).duration(since: now)
        guard ahead <= Limits.webhookSkew, ahead >= .zero - Limits.webhookSkew else { throw .time(ahead: ahead) }
        // Other versions (`v1a`) may be given beside ours.
        self.presented = (headers.single(.webhookSignature) ?? "").split(separator: " ")
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
}
