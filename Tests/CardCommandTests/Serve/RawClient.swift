import Foundation
import Glibc
import Testing

/// A connection on loopback whose bytes go out when a test says so.
final class RawClient {
    private let descriptor: Int32

    init(port: String) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = try #require(UInt16(port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw CocoaError(.fileReadUnknown)
        }
        self.descriptor = descriptor
    }

    deinit { close(self.descriptor) }

    func write(_ bytes: Data) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            try #require(count > 0)
            rest = rest.dropFirst(count)
        }
    }

    /// The first line of the answer.
    func statusLine() throws -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = recv(self.descriptor, &bytes, bytes.count, 0)
        try #require(count > 0)
        return String(decoding: bytes[..<count], as: UTF8.self).components(separatedBy: "\r\n")[0]
    }
}
