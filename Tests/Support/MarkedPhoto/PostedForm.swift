package import Foundation

/// The parts of a posted form, cut at its boundary.
package struct PostedForm: Sendable {
    private let parts: [String: Data]

    /// Cuts the body of a request; one that is no form has no parts.
    package init(_ request: ReceivedRequest) {
        let type = request.header("Content-Type") ?? ""
        guard let start = type.range(of: "boundary=") else {
            self.parts = [:]
            return
        }
        let boundary = type[start.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" }
        let (delimiter, blank) = (Data("\r\n--\(boundary)".utf8), Data("\r\n\r\n".utf8))
        var rest = Data("\r\n".utf8) + Data(request.body)
        var parts: [String: Data] = [:]
        while let begin = rest.range(of: delimiter) {
            rest = rest[begin.upperBound...]
            guard let head = rest.range(of: blank), let end = rest[head.upperBound...].range(of: delimiter) else {
                break
            }
            let text = String(decoding: rest[..<head.lowerBound], as: UTF8.self)
            if let name = text.firstMatch(of: /; name="([^"]*)"/)?.1 {
                parts[String(name)] = Data(rest[head.upperBound..<end.lowerBound])
            }
            rest = rest[end.lowerBound...]
        }
        self.parts = parts
    }

    /// The bytes of a part; `nil` if there is none of the name. Of several the last.
    package subscript(data name: String) -> Data? { self.parts[name] }

    /// The text of a part; `nil` if there is none of the name.
    package subscript(name: String) -> String? { self.parts[name].map { String(decoding: $0, as: UTF8.self) } }
}
