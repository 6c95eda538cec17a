import Hummingbird
import NIOCore

/// A request's context that knows its connection.
struct BackendContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection the request came by.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        self.coreContext = .init(source: source)
        self.channel = source.channel
    }

    /// Whether the other end is on this machine.
    var isFromLoopback: Bool {
        guard let address = self.channel.remoteAddress?.ipAddress else { return false }
        return address == "::1" || address.hasPrefix("127.") || address.hasPrefix("::ffff:127.")
    }
}
