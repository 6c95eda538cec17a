import NIOCore
import NIOPosix
import Synchronization

/// A small HTTP proxy on loopback that knows `CONNECT` (RFC 9110 section 9.3.6) and nothing else.
package final class ConnectProxy: Sendable {
    private struct State {
        var targets: [String] = []
        var authorizations: [String?] = []
        var channel: (any Channel)?
    }

    /// What is answered instead of opening a tunnel; `nil` opens it.
    let refusal: FaultReply?
    /// The value of `Proxy-Authorization` that is asked for; `nil` asks for none.
    let authorization: String?
    private let ports: [String: Int]
    private let state = Mutex(State())

    /// Makes a proxy.
    ///
    /// - Parameters:
    ///   - authorization: the whole value of `Proxy-Authorization` that clients must send, else 407.
    ///   - refusal: what every client is answered instead of a tunnel.
    ///   - ports: the port of loopback on which a host is really to be found, by its name and port as asked for, such
    ///     as `service.example:443`; others are taken as they are asked for.
    package init(authorization: String? = nil, refusal: FaultReply? = nil, ports: [String: Int] = [:]) {
        self.authorization = authorization
        self.refusal = refusal
        self.ports = ports
    }

    /// The hosts and ports that were asked for, in order.
    package var targets: [String] { self.state.withLock { $0.targets } }
    /// The `Proxy-Authorization` of each of them.
    package var authorizations: [String?] { self.state.withLock { $0.authorizations } }

    /// Starts to listen and returns the port.
    package func start() async throws -> Int {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectProxyHandler(proxy: self))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        self.state.withLock { $0.channel = channel }
        return channel.localAddress?.port ?? 0
    }

    /// Stops to listen; tunnels that are open stay so.
    package func stop() async {
        let channel = self.state.withLock { $0.channel }
        // The one error is that it was stopped before.
        try? await channel?.close()
    }

    /// Notes what a client asked for, and says where that is.
    func note(target: String, authorization: String?) -> (host: String, port: Int) {
        self.state.withLock { state in
            state.targets.append(target)
            state.authorizations.append(authorization)
        }
        if let port = self.ports[target] { return ("127.0.0.1", port) }
        let host = target.prefix { $0 != ":" }
        return (String(host), Int(target.dropFirst(host.count + 1)) ?? 0)
    }
}
