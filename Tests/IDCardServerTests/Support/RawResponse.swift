import Foundation

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
