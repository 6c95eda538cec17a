import Crypto
import Foundation

@testable import IDCardServer

/// A webhook with an image in Base64, signed rightly or not.
struct SpecimenWebhook {
    static let secret = Data(repeating: 1, count: 32)

    var id: String
    var imageByteCount = 1_000
    var userNumber: String?
    var isForged = false

    var request: RawRequest {
        let time = "\(Int(Date().timeIntervalSince1970))"
        let number = self.id.utf8.reduce(0) { $0 &+ Int($1) }
        let image = Specimen.jpeg(number, byteCount: self.imageByteCount).base64EncodedString()
        let user = self.userNumber.map { ",\"user_no\":\"\($0)\"" } ?? ""
        let body = Data("{\"data\":{\"business_no\":\"CASE-1\"\(user),\"image_base64\":\"\(image)\"}}".utf8)
        var hash = HMAC<SHA256>(key: SymmetricKey(data: self.isForged ? Data(repeating: 9, count: 32) : Self.secret))
        hash.update(data: Data("\(self.id).\(time).".utf8) + body)
        let headers = [
            ("webhook-id", self.id), ("webhook-timestamp", time),
            ("webhook-signature", "v1,\(Data(hash.finalize()).base64EncodedString())"),
            ("Content-Type", "application/json"),
        ]
        return RawRequest("POST", "/v1/webhooks/cards", headers: headers, body: body)
    }
}
