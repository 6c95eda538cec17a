import Foundation
import TestSupport

extension RawRequest {
    static func json(_ method: String, _ target: String, token: String? = nil, _ text: String) -> RawRequest {
        RawRequest(method, target, token: token, headers: [("Content-Type", "application/json")], body: Data(text.utf8))
    }

    static func image(
        _ bytes: Data,
        token: String?,
        type: String = "image/jpeg",
        businessNumber: String? = "CASE-1",
        headers: [(String, String)] = []
    ) -> RawRequest {
        var all = headers + [("Content-Type", type)]
        if let businessNumber { all.append(("Card-Business-No", businessNumber)) }
        return RawRequest("POST", "/v1/cards", token: token, headers: all, body: bytes)
    }

    /// With a form; a part without a file name is text.
    static func form(
        _ parts: [(name: String, filename: String?, bytes: Data)],
        token: String?,
        boundary: String = "specimen-boundary",
        headers: [(String, String)] = []
    ) -> RawRequest {
        let parts = parts.map { HandWrittenForm.Part(name: $0.name, filename: $0.filename, body: Array($0.bytes)) }
        let form = HandWrittenForm(boundary: boundary, parts: parts)
        let type = ("Content-Type", form.contentType)
        return RawRequest("POST", "/v1/cards", token: token, headers: headers + [type], body: form.body)
    }
}
