import Foundation

/// A request as it came over the wire.
package struct ReceivedRequest: Sendable {
    /// The connection's number, from 0.
    package var connection: Int
    /// The request's number over all connections, from 0.
    package var number: Int
    /// The request line and the headers, each with its line break.
    package var head: String
    /// The body as far as it came.
    package var body: [UInt8] = []

    package var announcedLength: Int? { self.header("Content-Length").flatMap { Int($0) } }

    /// The path of the request line, with its query.
    package var path: String {
        let fields = self.head.prefix { $0 != "\r\n" }.split(separator: " ")
        return fields.count > 1 ? String(fields[1]) : ""
    }

    /// The value of a header, whatever the case of its name.
    package func header(_ name: String) -> String? {
        self.head.components(separatedBy: "\r\n")
            .first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
}
