import Glibc

/// A port on loopback whose queue of connections is full: Linux drops what comes on top, as a silent firewall would.
package struct SilentListener {
    /// The failure of a system call.
    package struct Failure: Error {
        /// The number the system gave.
        package var errno: CInt
    }

    /// The port.
    package let port: Int
    private let descriptors: [CInt]

    /// Listens without accepting and fills the queue.
    package init() throws {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        guard Self.call(bind, listener, &address) == 0, listen(listener, 0) == 0 else { throw Failure(errno: errno) }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let named = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
        }
        guard named == 0 else { throw Failure(errno: errno) }
        var descriptors = [listener]
        for _ in 0..<4 {
            let client = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            _ = Self.call(connect, client, &address)
            descriptors.append(client)
        }
        self.port = Int(UInt16(bigEndian: address.sin_port))
        self.descriptors = descriptors
    }

    /// Closes the port.
    package func close() {
        for descriptor in self.descriptors { Glibc.close(descriptor) }
    }

    private static func call(
        _ function: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt,
        _ descriptor: CInt,
        _ address: inout sockaddr_in
    ) -> CInt {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
