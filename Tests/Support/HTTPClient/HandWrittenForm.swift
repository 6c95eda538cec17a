package import Foundation

/// A form written by hand: not by the encoder that the product sends with.
package struct HandWrittenForm: Sendable {
    /// One part; without a file name it is a text.
    package struct Part: Sendable {
        package var name: String
        package var filename: String?
        package var type: String?
        package var body: [UInt8]

        package init(name: String, filename: String? = nil, type: String? = nil, body: [UInt8]) {
            (self.name, self.filename, self.type, self.body) = (name, filename, type, body)
        }

        package static func text(_ name: String, _ value: String) -> Part { Part(name: name, body: Array(value.utf8)) }
    }

    package var boundary: String
    package var parts: [Part]

    package init(boundary: String = "hand-written-7d3b", parts: [Part]) {
        (self.boundary, self.parts) = (boundary, parts)
    }

    package var contentType: String { "multipart/form-data; boundary=\(self.boundary)" }

    package var body: Data {
        var body = Data()
        for part in self.parts {
            body += Data("--\(self.boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"".utf8)
            if let filename = part.filename { body += Data("; filename=\"\(filename)\"".utf8) }
            if let type = part.type { body += Data("\r\nContent-Type: \(type)".utf8) }
            body += Data("\r\n\r\n".utf8) + part.body + Data("\r\n".utf8)
        }
        return body + Data("--\(self.boundary)--\r\n".utf8)
    }
}
