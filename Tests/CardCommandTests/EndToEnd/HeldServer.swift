import Foundation
import Glibc
import Synchronization
import Testing

/// An endpoint that takes requests and answers none of them before a test says so.
///
/// It speaks just enough HTTP for that: one connection per thread, requests with a `Content-Length`.
final class HeldServer: Sendable {
    private struct State {
        var requests: [Data] = []
        var isReleased = false
    }

    private let listener: Int32
    private let state = Mutex(State())
    private let condition = NSCondition()
    private let arrivals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(64))
    private let reply: @Sendable (Data) -> String

    /// The port on loopback.
    let port: UInt16

    /// Starts to listen.
    ///
    /// - Parameter reply: the JSON that answers the bytes of a request.
    init(_ reply: @escaping @Sendable (Data) -> String) throws {
        self.reply = reply
        self.listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(self.listener >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = self.listener
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> UInt16? in
                guard bind(listener, generic, length) == 0, listen(listener, 16) == 0,
                    getsockname(listener, generic, &length) == 0
                else { return nil }
                return UInt16(bigEndian: pointer.pointee.sin_port)
            }
        }
        self.port = try #require(port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let server = self else { return }
                Thread.detachNewThread { server.serve(connection) }
            }
        }
    }

    deinit {
        Glibc.shutdown(self.listener, Int32(SHUT_RDWR))
        close(self.listener)
    }

    /// The address of the server.
    var url: String { "http://127.0.0.1:\(self.port)" }

    /// Every request that has come in whole.
    var requests: [Data] { self.state.withLock { $0.requests } }

    /// Waits for the next request that is in whole.
    func arrival() async { for await _ in self.arrivals.stream { break } }

    /// Answers what is held, and everything after it at once.
    func release() {
        self.condition.lock()
        self.state.withLock { $0.isReleased = true }
        self.condition.broadcast()
        self.condition.unlock()
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var buffer = Data()
        while let request = Self.request(from: connection, &buffer) {
            self.state.withLock { $0.requests.append(request) }
            self.arrivals.continuation.yield()
            self.condition.lock()
            while !self.state.withLock({ $0.isReleased }) { self.condition.wait() }
            self.condition.unlock()
            let body = self.reply(request)
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            let bytes = Array((head + body).utf8)
            guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return }
        }
    }

    /// Reads one request whole; `nil` at the end of the connection.
    private static func request(from connection: Int32, _ buffer: inout Data) -> Data? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let end = buffer.range(of: Data("\r\n\r\n".utf8)) {
                let head = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).lowercased()
                let length = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).filter(\.isNumber)) }
                let total = end.upperBound + (length ?? 0)
                if buffer.count >= total {
                    defer { buffer = Data(buffer[total...]) }
                    return Data(buffer[..<total])
                }
            }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            buffer.append(contentsOf: chunk[..<count])
        }
    }
}
