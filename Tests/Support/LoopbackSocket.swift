package import Foundation
import Glibc

/// A connection to a port on loopback whose bytes go out when a test says so; its calls block.
package final class LoopbackSocket: Sendable {
    /// The other side is not there, or not any more.
    package struct Closed: Error {}

    private let descriptor: CInt

    /// Connects.
    package init(port: Int) throws {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw Closed()
        }
        self.descriptor = descriptor
    }

    deinit { close(self.descriptor) }

    /// Breaks the connection off.
    package func breakOff() { shutdown(self.descriptor, CInt(SHUT_RDWR)) }

    /// Sends all of the bytes.
    package func send(_ bytes: some Sequence<UInt8>) throws {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(self.descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Closed() }
            rest = rest.dropFirst(count)
        }
    }

    /// Waits for bytes and returns what has come.
    package func receiveBytes() throws -> Data {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(self.descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { throw Closed() }
        return Data(bytes[..<count])
    }
}
