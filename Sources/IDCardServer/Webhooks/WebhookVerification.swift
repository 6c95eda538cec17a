import Crypto
import Foundation
import HTTPTypes
import IDCardCore

/// Checks one message of a sender, piece by piece as it arrives (Standard Webhooks 1.0.0, symmetric signatures).
///
/// Nobody learns which of the checks failed.
struct WebhookVerification {
    /// The longest `webhook-id`, in bytes.
    static let maximumIDLength = 256
    /// The most signatures that are looked at.
    private static let maximumSignatures = 32

    /// `webhook-id`: the name of the message, the same for every attempt to send it.
    let id: String
    private let presented: [Data]
    private var computed: [HMAC<SHA256>]

    /// Reads the header fields.
    ///
    /// - Returns: `nil` if one is missing or malformed, or the time is too far from ours.
    init?(headers: HTTPFields, secrets: [WebhookSecret], tolerance: WebhookTolerance, now: Timestamp) {
        guard let id = Self.single(.webhookID, of: headers), Self.isID(id),
            let time = Self.single(.webhookTimestamp, of: headers), let seconds = Self.seconds(time),
            let signatures = Self.single(.webhookSignature, of: headers)
        else { return nil }
        let age = now.duration(since: Timestamp(millisecondsSinceEpoch: seconds * 1000))
        guard age <= tolerance.past, age >= .zero - tolerance.future else { return nil }
        // Other versions (`v1a`) may stand beside ours.
        self.presented = signatures.split(separator: " ").prefix(Self.maximumSignatures)
            .filter { $0.hasPrefix("v1,") }
            .compactMap { Data(base64Encoded: String($0.dropFirst(3))) }
            .filter { $0.count == SHA256.byteCount }
        guard !self.presented.isEmpty else { return nil }
        self.id = id
        self.computed = secrets.map { secret in
            var signature = secret.signature()
            signature.update(data: Data("\(id).\(time).".utf8))
            return signature
        }
    }

    /// Takes the next bytes of the body.
    mutating func update(_ bytes: Data) {
        for index in self.computed.indices { self.computed[index].update(data: bytes) }
    }

    /// Whether one of the secrets signed the message; every pair is compared.
    func isSigned() -> Bool {
        var isSigned = false
        for signature in self.computed {
            let code = Data(signature.finalize())
            for presented in self.presented where ConstantTime.equal(presented, code) { isSigned = true }
        }
        return isSigned
    }

    private static func single(_ name: HTTPField.Name, of headers: HTTPFields) -> String? {
        let values = headers[values: name]
        return values.count == 1 ? values[0] : nil
    }

    /// A dot would let another id and time be read out of what was signed.
    private static func isID(_ text: String) -> Bool {
        1...self.maximumIDLength ~= text.utf8.count
            && text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ".") }
    }

    /// Digits alone: what was signed is this very text.
    private static func seconds(_ text: String) -> Int64? {
        guard 1...12 ~= text.utf8.count, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int64(text)
    }
}
