import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server on loopback that breaks off wherever its script says, and keeps what it has received.
///
/// ```swift
/// let server = FaultServer([.commit({ ledger.take($0) }, then: .reset), .reply(FaultReply(body: "{}"))])
/// let port = try await server.start()
/// ```
package final class FaultServer: Sendable {
    /// Everything about a server but its scripts.
    package struct Options: Sendable {
        /// What is sent as soon as a connection is open.
        package var greeting: String?
        /// The TLS side; `nil` speaks plain text.
        package var tls: FaultTLS?

        /// Takes the defaults: plain text, no greeting.
        package init() {}
    }

    private struct State {
        var received: [ReceivedRequest] = []
        var connections = 0
        var requests = 0
        var channel: (any Channel)?
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

    /// Starts to listen and returns the port.
    package func start() async throws -> Int {
        let tls = try self.options.tls?.makeContext()
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
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
        self.state.withLock { $0.channel = channel }
        return channel.localAddress?.port ?? 0
    }

    /// Stops to listen; connections that are open stay so.
    package func stop() async {
        let channel = self.state.withLock { $0.channel }
        // The one error is that it was stopped before.
        try? await channel?.close()
    }

    /// Serves for as long as a function runs, which is given the address.
    package func serving<Value: Sendable>(_ body: (_ address: String) async throws -> Value) async throws -> Value {
        let port = try await self.start()
        let result: Result<Value, any Error>
        do { result = .success(try await body("http://127.0.0.1:\(port)")) } catch { result = .failure(error) }
        await self.stop()
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
package func withFaultServer(
    _ scripts: FaultScript...,
    options: FaultServer.Options = FaultServer.Options(),
    run: (FaultServer, Int) async throws -> Void
) async throws {
    let server = FaultServer(scripts, options: options)
    let port = try await server.start()
    do {
        try await run(server, port)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}
