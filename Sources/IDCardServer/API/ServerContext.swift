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

    /// The address it came from, as far as one that fails is told apart by it.
    var remoteNetwork: String { self.channel.remoteAddress.map(Self.network(of:)) ?? "" }

    /// The address itself, but of IPv6 its network; one of IPv4 that comes by a socket of IPv6 is one of IPv4.
    static func network(of address: SocketAddress) -> String {
        if let bytes = address.mappedIPv4Bytes { return bytes.map { "\($0)" }.joined(separator: ".") }
        guard let bytes = address.ipv6Bytes else { return address.ipAddress ?? "" }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }
}
