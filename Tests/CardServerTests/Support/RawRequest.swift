import Foundation

/// A request to be sent.
struct RawRequest: Sendable {
    var method: String
    var target: String
    var headers: [(String, String)]
    var body: Data

    init(
        _ method: String,
        _ target: String,
        token: String? = nil,
        headers: [(String, String)] = [],
        body: Data = Data()
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        if let token { self.headers.append(("Authorization", "Bearer \(token)")) }
        self.body = body
    }

    /// With a body of JSON.
    static func json(_ method: String, _ target: String, token: String? = nil, _ text: String) -> RawRequest {
        RawRequest(
            method,
            target,
            token: token,
            headers: [("Content-Type", "application/json")],
            body: Data(text.utf8)
        )
    }

    /// With a raw image.
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
        var body = Data()
        for part in parts {
            let filename = part.filename.map { "; filename=\"\($0)\"" } ?? ""
            body += Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"\(filename)\r\n".utf8)
            body += Data("\r\n".utf8) + part.bytes + Data("\r\n".utf8)
        }
        body += Data("--\(boundary)--\r\n".utf8)
        let type = ("Content-Type", "multipart/form-data; boundary=\(boundary)")
        return RawRequest("POST", "/v1/cards", token: token, headers: headers + [type], body: body)
    }

    /// The head alone, with the length of the body.
    var head: String {
        var text = "\(self.method) \(self.target) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in self.headers { text += "\(name): \(value)\r\n" }
        let declares = self.headers.contains { ["content-length", "transfer-encoding"].contains($0.0.lowercased()) }
        if !declares, !self.body.isEmpty || self.method == "POST" { text += "Content-Length: \(self.body.count)\r\n" }
        return text + "\r\n"
    }

    /// All of it.
    var bytes: Data { Data(self.head.utf8) + self.body }
}

/// An answer as it came.
struct RawResponse: Sendable {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: Data

    /// The value of a header field, by its name in lower case.
    subscript(name: String) -> String? { self.headers.first { $0.name == name }?.value }

    /// The body as JSON.
    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: self.body)) as? [String: Any] ?? [:]
    }

    /// The `code` of a problem.
    var code: String? { self.json["code"] as? String }

    /// Status and `code` of a problem.
    var problem: String { "\(self.status) \(self.code ?? "without a code")" }

    /// The body as text.
    var text: String { String(decoding: self.body, as: UTF8.self) }

    /// Reads an answer off the front of bytes; `nil` if it is not whole.
    static func parse(_ bytes: Data, hasContent: Bool = true) throws -> (RawResponse, rest: Data)? {
        guard let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw RawConnection.Failure(text: "This is no answer.")
        }
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (name: parts[0].lowercased(), value: parts.count > 1 ? parts[1].dropFirst().description : "")
        }
        let declared = headers.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        let length = hasContent ? declared : 0
        let rest = bytes[end.upperBound...]
        guard rest.count >= length else { return nil }
        let response = RawResponse(status: status, headers: headers, body: Data(rest.prefix(length)))
        return (response, Data(rest.dropFirst(length)))
    }
}
