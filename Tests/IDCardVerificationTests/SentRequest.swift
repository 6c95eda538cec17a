import Foundation

/// A request as it went over the wire, taken apart without any of our own code.
struct SentRequest {
    /// A part of the form: its header lines and its bytes.
    struct Part: Equatable {
        var headers: [String]
        var body: Data

        /// The value of the disposition's parameter `name`.
        var name: String? {
            self.headers.first?.components(separatedBy: "; name=\"").dropFirst().first?
                .components(separatedBy: "\"").first
        }

        var text: String { String(decoding: self.body, as: UTF8.self) }
    }

    /// The request line.
    let line: String
    /// The header lines.
    let headers: [String]
    /// The parts in order.
    let parts: [Part]
    /// The boundary.
    let boundary: String

    /// Takes a request apart; `nil` if it is no form, or its declared length is not that of the body.
    init?(_ request: Data) {
        guard let end = request.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: request[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let body = Data(request[end.upperBound...])
        func header(_ name: String) -> String? {
            lines.first { $0.lowercased().hasPrefix(name + ":") }.map { String($0.dropFirst(name.count + 2)) }
        }
        guard header("content-length").flatMap({ Int($0) }) == body.count else { return nil }
        guard let type = header("content-type"), type.hasPrefix("multipart/form-data; boundary=") else { return nil }
        let boundary = String(type.dropFirst("multipart/form-data; boundary=".count))
        guard body.suffix(boundary.count + 8) == Data("\r\n--\(boundary)--\r\n".utf8) else { return nil }
        var parts: [Part] = []
        var rest = Data("\r\n".utf8) + body.dropLast(4)
        let delimiter = Data("\r\n--\(boundary)".utf8)
        while let start = rest.firstRange(of: delimiter) {
            rest = Data(rest[start.upperBound...])
            guard let stop = rest.firstRange(of: delimiter) else { break }
            guard let head = rest.firstRange(of: Data("\r\n\r\n".utf8)) else { return nil }
            let text = String(decoding: rest[2..<head.lowerBound], as: UTF8.self)
            parts.append(
                Part(headers: text.components(separatedBy: "\r\n"), body: Data(rest[head.upperBound..<stop.lowerBound]))
            )
        }
        self.line = lines[0]
        self.headers = Array(lines.dropFirst())
        self.parts = parts
        self.boundary = boundary
    }
}
