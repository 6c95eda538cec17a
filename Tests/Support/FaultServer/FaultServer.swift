package import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server on loopback that breaks off wherever its script says, and keeps what it has received.
///
/// ```swift
/// let server = FaultServer([.commit({ ledger.take($0) }, then: .reset), .reply(FaultReply(body: "{}"))])
/// try await server.serving { address in … }
/// ```
package final class FaultServer: Sendable {
    /// Everything about a server but its scripts.
    package struct Options: Sendable {
        /// What is sent as soon as a connection is open.
        package var greeting: String?
        /// The TLS side; `nil` speaks plain text.
        package var tls: FaultTLS?
        /// The threads that serve; by default the ones that clients use, too.
        package var group: any EventLoopGroup = .singletonMultiThreadedEventLoopGroup

        package init() {}
    }

    private struct State {
        var received: [ReceivedRequest] = []
        var connections = 0
        var requests = 0
    }

    let options: Options
    private let script: @Sendable (_ request: Int, _ connection: Int) -> FaultScript
    private let state = Mutex(State())

    /// Makes a server that follows one script per request, in the order in which requests begin; the last one is
    /// repeated.
    package convenience init(_ scripts: [FaultScript], options: Options = Options()) {
        precondition(!scripts.isEmpty, "a fault server needs at least 1 script")
        self.init(options: options) { request, _ in scripts[min(request, scripts.count - 1)] }
    }

    /// Makes a server that asks a function for the script of each request.
    ///
    /// - Parameters:
    ///   - options: everything else.
    ///   - script: takes the numbers of the request and of its connection, both from 0.
    package init(
        options: Options = Options(),
        script: @escaping @Sendable (_ request: Int, _ connection: Int) -> FaultScript
    ) {
        self.options = options
        self.script = script
    }

    /// Every request whose head has come, in the order of arrival.
    package var received: [ReceivedRequest] { self.state.withLock { $0.received } }
    /// How many connections were opened.
    package var connections: Int { self.state.withLock { $0.connections } }
    /// How many requests have begun: their first byte has come.
    package var requests: Int { self.state.withLock { $0.requests } }

    /// Serves for as long as a function runs, which is given the address.
    package func serving<Value>(_ body: (_ address: String) async throws -> Value) async throws -> Value {
        try await self.listening { try await body("http://127.0.0.1:\($0)") }
    }

    /// Serves for as long as a function runs, which is given the port; connections that are open then stay so.
    package func listening<Value>(_ body: (_ port: Int) async throws -> Value) async throws -> Value {
        let tls = try self.options.tls?.makeContext()
        let bootstrap = ServerBootstrap(group: self.options.group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Else the kernel may take a whole form before the script sees its head.
            .childChannelOption(.socketOption(.so_rcvbuf), value: 1 << 16)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    }
                    let connection = FaultConnection(server: self, number: self.countConnection())
                    try channel.pipeline.syncOperations.addHandler(connection)
                }
            }
        let channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        let result: Result<Value, any Error>
        do { result = .success(try await body(channel.localAddress?.port ?? 0)) } catch { result = .failure(error) }
        try await channel.close()
        return try result.get()
    }

    private func countConnection() -> Int {
        self.state.withLock { state in
            state.connections += 1
            return state.connections - 1
        }
    }

    func beginRequest(on connection: Int) -> (number: Int, script: FaultScript) {
        let number = self.state.withLock { state in
            state.requests += 1
            return state.requests - 1
        }
        return (number, self.script(number, connection))
    }

    /// Notes a request whose head has come, and returns its place in ``received``.
    func note(_ request: ReceivedRequest) -> Int {
        self.state.withLock { state in
            state.received.append(request)
            return state.received.count - 1
        }
    }

    func append(_ bytes: some Collection<UInt8>, to index: Int) {
        self.state.withLock { $0.received[index].body += bytes }
    }

    func request(at index: Int) -> ReceivedRequest {
        self.state.withLock { $0.received[index] }
    }
}

/// Runs a test against a fault server and stops the server afterwards.
package func withFaultServer<Value>(
    _ scripts: FaultScript...,
    options: FaultServer.Options = FaultServer.Options(),
    run: (FaultServer, Int) async throws -> Value
) async throws -> Value {
    let server = FaultServer(scripts, options: options)
    return try await server.listening { try await run(server, $0) }
}
