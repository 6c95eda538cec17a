package import Foundation
import Glibc

/// A blocking server on loopback that takes one request per connection and gives the answers in order; for anything
/// more see ``FaultServer``.
package final class LoopbackServer: Sendable {
    /// The port it listens on.
    package let port: Int
    private let listener: Int32

    /// Binds a port; nothing is answered before ``answer(with:)``.
    package init() {
        self.listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = self.listener
        let port = withUnsafeMutableBytes(of: &address) { bytes -> Int in
            guard let pointer = bytes.bindMemory(to: sockaddr.self).baseAddress else { return 0 }
            bind(listener, pointer, length)
            listen(listener, 8)
            getsockname(listener, pointer, &length)
            return Int(bytes.load(fromByteOffset: 2, as: UInt16.self).bigEndian)
        }
        self.port = port
    }

    /// Closes the port; whoever connects afterwards is refused.
    package func close() {
        // A process that is just being started by another test may hold the socket, too.
        shutdown(self.listener, Int32(SHUT_RDWR))
        Glibc.close(self.listener)
    }

    /// Takes one request per answer and returns the requests, heads and bodies.
    package func answer(with replies: [String]) async -> [Data] {
        await withCheckedContinuation { continuation in
            // A thread of its own: it blocks, and the shared ones are few.
            Thread.detachNewThread {
                continuation.resume(returning: replies.map { self.serve($0) })
            }
        }
    }

    private func serve(_ reply: String) -> Data {
        let connection = accept(self.listener, nil, nil)
        defer {
            shutdown(connection, Int32(SHUT_RDWR))
            Glibc.close(connection)
        }
        var request = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !Self.isComplete(request) {
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { break }
            request += buffer.prefix(count)
        }
        let bytes = Array(reply.utf8)
        _ = bytes.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
        return request
    }

    private static func isComplete(_ request: Data) -> Bool {
        guard let end = request.firstRange(of: Data("\r\n\r\n".utf8)) else { return false }
        let head = String(decoding: request[..<end.lowerBound], as: UTF8.self)
        let length = head.components(separatedBy: "\r\n")
            .first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) }
        return request.count - end.upperBound >= length ?? 0
    }
}

/// The text of a reply after which the connection ends.
package func replyText(_ status: String, body: String) -> String {
    "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nConnection: close\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
}
