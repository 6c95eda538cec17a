package import Foundation

package struct RawRequest: Sendable {
    package var method: String
    package var target: String
    package var headers: [(String, String)]
    package var body: Data

    /// Describes a request, with the header field of a token if there is one.
    package init(
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

    /// The head alone, with the length of the body.
    package var head: String {
        var text = "\(self.method) \(self.target) HTTP/1.1\r\nHost: localhost\r\n"
        for (name, value) in self.headers { text += "\(name): \(value)\r\n" }
        let declares = self.headers.contains { ["content-length", "transfer-encoding"].contains($0.0.lowercased()) }
        if !declares, !self.body.isEmpty || self.method == "POST" { text += "Content-Length: \(self.body.count)\r\n" }
        return text + "\r\n"
    }

    package var bytes: Data { Data(self.head.utf8) + self.body }
}

/// An answer as it came.
package struct RawResponse: Sendable {
    package var status: Int
    /// The header fields, with names in lower case.
    package var headers: [(name: String, value: String)]
    package var body: Data

    /// The value of a header field, by its name in lower case.
    package subscript(name: String) -> String? { self.headers.first { $0.name == name }?.value }

    /// The body as a JSON object; empty when it is none.
    package var json: [String: Any] { (try? JSONSerialization.jsonObject(with: self.body)) as? [String: Any] ?? [:] }

    package var code: String? { self.json["code"] as? String }

    /// Status and `code` of a problem.
    package var problem: String { "\(self.status) \(self.code ?? "without a code")" }

    package var text: String { String(decoding: self.body, as: UTF8.self) }

    /// Reads an answer off the front of bytes; `nil` if it is not whole.
    package static func parse(_ bytes: Data, hasContent: Bool = true) throws -> (RawResponse, rest: Data)? {
        guard let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw RawConnection.Failure(text: "This is no answer.")
        }
        let headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (name: parts[0].lowercased(), value: parts.count > 1 ? parts[1].dropFirst().description : "")
        }
        if hasContent, headers.contains(where: { $0.name == "transfer-encoding" && $0.value == "chunked" }) {
            return Self.chunks(bytes[end.upperBound...]).map {
                (RawResponse(status: status, headers: headers, body: $0.body), $0.rest)
            }
        }
        let declared = headers.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        let length = hasContent ? declared : 0
        let rest = bytes[end.upperBound...]
        guard rest.count >= length else { return nil }
        let response = RawResponse(status: status, headers: headers, body: Data(rest.prefix(length)))
        return (response, Data(rest.dropFirst(length)))
    }

    /// Joins the chunks of a body (RFC 9112 section 7.1); `nil` if the last one is not there yet.
    private static func chunks(_ bytes: Data) -> (body: Data, rest: Data)? {
        var (body, rest) = (Data(), bytes)
        while let line = rest.firstRange(of: Data("\r\n".utf8)) {
            guard let length = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16) else {
                return nil
            }
            let chunk = rest[line.upperBound...]
            guard chunk.count >= length + 2 else { return nil }
            body += chunk.prefix(length)
            rest = chunk.dropFirst(length + 2)
            if length == 0 { return (body, Data(rest)) }
        }
        return nil
    }
}
