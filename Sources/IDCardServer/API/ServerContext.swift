import Glibc
import Hummingbird
import NIOCore

/// A request's context: its connection, and what becomes known of it.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection it came by.
    let channel: any Channel
    /// What becomes known of it.
    let exchange = Exchange()

    init(source: ApplicationRequestContextSource) {
        self.coreContext = .init(source: source)
        self.channel = source.channel
    }

    /// The address it came from, as far as one that fails is told apart by it: of IPv6 its network.
    var remoteNetwork: String {
        guard let address = self.channel.remoteAddress else { return "" }
        guard case .v6(let v6) = address else { return address.ipAddress ?? "" }
        return withUnsafeBytes(of: v6.address.sin6_addr) { bytes in
            bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
        }
    }
}
