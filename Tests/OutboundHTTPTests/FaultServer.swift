import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A server on loopback that breaks off wherever its script says, and keeps what it has received.
final class FaultServer: Sendable {
    /// A request as it came over the wire.
    struct Received: Sendable {
        /// The connection's number, from 0.
        var connection: Int
        /// The request line and the headers.
        var head: String
        /// The body as far as it came.
        var body: [UInt8] = []

        /// The value of the `Content-Length` header.
        var announcedLength: Int? { self.header("Content-Length").flatMap { Int($0) } }

        /// The value of a header.
        func header(_ name: String) -> String? {
            self.head.components(separatedBy: "\r\n")
                .first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    private struct State {
        var scripts: [FaultScript]
        var received: [Received] = []
        var connections = 0
    }

    /// What is sent as soon as a connection is open.
    let greeting: String?
    private let state: Mutex<State>
    private let channel: Mutex<(any Channel)?> = Mutex(nil)

    /// Makes a server that follows one script per request; the last one is repeated.
    init(_ scripts: [FaultScript], greeting: String? = nil) {
        self.greeting = greeting
        self.state = Mutex(State(scripts: scripts))
    }

    /// Everything received so far, in the order of arrival.
    var received: [Received] { self.state.withLock { $0.received } }
    /// How many connections were opened.
    var connections: Int { self.state.withLock { $0.connections } }

    /// Starts to listen and returns the port.
    func start() async throws -> Int {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                let number = self.state.withLock { state in
                    state.connections += 1
                    return state.connections - 1
                }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(FaultHandler(server: self, connection: number))
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        self.channel.withLock { $0 = channel }
        return channel.localAddress?.port ?? 0
    }

    /// Stops to listen.
    func stop() async {
        let channel = self.channel.withLock { $0 }
        try? await channel?.close()
    }

    func begin(_ request: Received) -> (index: Int, script: FaultScript) {
        self.state.withLock { state in
            state.received.append(request)
            let script = state.scripts.count > 1 ? state.scripts.removeFirst() : state.scripts[0]
            return (state.received.count - 1, script)
        }
    }

    func append(_ bytes: some Sequence<UInt8>, to index: Int) {
        self.state.withLock { $0.received[index].body += bytes }
    }
}

/// Runs a test against a fault server and stops the server afterwards.
func withFaultServer(
    _ scripts: FaultScript...,
    greeting: String? = nil,
    run: (FaultServer, Int) async throws -> Void
) async throws {
    let server = FaultServer(scripts, greeting: greeting)
    let port = try await server.start()
    do {
        try await run(server, port)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}
