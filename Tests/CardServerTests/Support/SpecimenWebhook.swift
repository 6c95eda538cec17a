import CardModel
import Foundation
import TestSupport

@testable import CardServer

/// A webhook, signed rightly or not.
struct SpecimenWebhook {
    /// 2026-01-01T00:00:00Z.
    static let seconds = 1_767_225_600
    static let time = Timestamp(millisecondsSinceEpoch: Int64(seconds) * 1000)
    static let (old, new) = (Data(repeating: 1, count: 32), Data(repeating: 2, count: 32))

    var id = "msg-1"
    var timestamp = "\(seconds)"
    var body = Self.data(["business_no": "CASE-1", "image_url": "https://images.example.com/a.jpg"])
    var secret = Self.old
    /// In place of the right one.
    var signature: String?
    /// A header field that is left out.
    var without = ""

    /// With an image in Base64.
    static func image(_ id: String, byteCount: Int = 1_000, secret: Data = Self.old) -> SpecimenWebhook {
        let image = Specimen.jpeg(id, byteCount: byteCount).base64EncodedString()
        return SpecimenWebhook(
            id: id,
            body: Self.data(["business_no": "CASE-1", "image_base64": image]),
            secret: secret
        )
    }

    /// A body around fields.
    static func data(_ fields: [String: String], type: String = "card.created") -> Data {
        let texts = fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\"\($0.value)\"" }
        return Data("{\"type\":\"\(type)\",\"data\":{\(texts.joined(separator: ","))}}".utf8)
    }

    /// Of two senders.
    static var secrets: [WebhookSecret] { get throws { [try secret(old), try secret(new, name: "other")] } }

    static func secret(_ bytes: Data, name: String = "acme") throws -> WebhookSecret {
        try WebhookSecret(Redacted("\(name)=whsec_\(bytes.base64EncodedString())"))
    }

    var request: RawRequest {
        var headers = WebhookSignature.headers(of: self.body, id: self.id, secret: self.secret, time: self.timestamp)
        headers["webhook-signature"] = self.signature ?? headers["webhook-signature"]
        headers["Content-Type"] = "application/json"
        headers[self.without] = nil
        let fields = headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return RawRequest("POST", "/v1/webhooks/cards", headers: fields, body: self.body)
    }
}
