/// A whole reply of the fault server, as it goes over the wire: right or wrong HTTP, as the test wants it.
package struct FaultReply: Hashable, Sendable {
    /// The bytes of status line, headers and body.
    package var bytes: [UInt8]

    package init(raw text: String) {
        self.bytes = Array(text.utf8)
    }

    package init(raw bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Makes a reply with its exact `Content-Length`.
    ///
    /// - Parameters:
    ///   - status: code and phrase, such as `503 Service Unavailable`.
    ///   - headers: further header lines without line break, such as `Retry-After: 3`.
    ///   - body: the body.
    package init(_ status: String = "200 OK", headers: [String] = [], body: String = "") {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers
        self.init(raw: lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    package static func json(_ body: String, status: String = "200 OK", headers: [String] = []) -> FaultReply {
        FaultReply(status, headers: ["Content-Type: application/json"] + headers, body: body)
    }

    /// Makes a 503 that asks to wait so many seconds.
    package static func unavailable(retryAfterSeconds seconds: Int) -> FaultReply {
        FaultReply("503 Service Unavailable", headers: ["Retry-After: \(seconds)"], body: "busy")
    }

    /// Makes a 413 as servers send it when the body is too long for them.
    package static let tooLarge = FaultReply("413 Payload Too Large", body: "Request Entity Too Large")
}
