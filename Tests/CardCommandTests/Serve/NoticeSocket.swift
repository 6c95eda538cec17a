import Foundation
import Glibc
import Testing

/// The socket of a service manager (`sd_notify(3)`).
final class NoticeSocket {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        self.descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        try #require(path.utf8.count < MemoryLayout.size(ofValue: name.sun_path))
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(self.descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0)
    }

    deinit { close(self.descriptor) }

    /// The next message, if one has come already.
    func pending() -> String? {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = recv(self.descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// Waits for a message that begins so; others before it are signs of life.
    func hear(_ start: String) throws {
        var bytes = [UInt8](repeating: 0, count: 512)
        while true {
            let count = recv(self.descriptor, &bytes, bytes.count, 0)
            try #require(count > 0)
            let message = String(decoding: bytes[..<count], as: UTF8.self)
            if message.hasPrefix(start) { return }
            try #require(message == "WATCHDOG=1", "\(message) came before \(start)")
        }
    }
}
