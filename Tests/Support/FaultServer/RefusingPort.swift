import Glibc

/// A port on loopback at which connections are refused for as long as it is held: it is bound, so that nobody else gets
/// it, and nobody listens.
package struct RefusingPort {
    package struct Failure: Error {
        package var errno: CInt
    }

    package let port: Int
    private let descriptor: CInt

    /// Takes a free port.
    package init() throws {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
            }
        }
        guard result == 0 else { throw Failure(errno: errno) }
        self.descriptor = descriptor
        self.port = Int(UInt16(bigEndian: address.sin_port))
    }

    package func close() {
        Glibc.close(self.descriptor)
    }
}
