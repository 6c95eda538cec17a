import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// A client that sends what it is told to, well-formed or not.
struct RawConnection {
    struct Failure: Error {
        var text: String
    }

    private let inbound: NIOAsyncChannelInboundStream<ByteBuffer>
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let reader: Reader

    /// Holds what has come and was not looked at.
    private final class Reader {
        var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        var pending = Data()

        init(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) {
            self.iterator = inbound.makeAsyncIterator()
        }
    }

    private init(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) {
        self.inbound = inbound
        self.outbound = outbound
        self.reader = Reader(inbound)
    }

    /// Connects, and disconnects at the end.
    ///
    /// - Parameter source: the address that it comes from, one of this machine.
    static func with<Value: Sendable>(
        port: Int,
        from source: String = "127.0.0.1",
        tls: NIOSSLContext? = nil,
        _ body: (RawConnection) async throws -> Value
    ) async throws -> Value {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(to: try SocketAddress(ipAddress: source, port: 0))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        let handler = try NIOSSLClientHandler(context: tls, serverHostname: "localhost")
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(isOutboundHalfClosureEnabled: true)
                    )
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(RawConnection(inbound, outbound))
        }
    }

    /// Sends text as it is.
    func send(_ text: String) async throws { try await self.send(Data(text.utf8)) }

    /// Sends bytes as they are.
    func send(_ bytes: Data) async throws { try await self.outbound.write(ByteBuffer(bytes: bytes)) }

    /// Says that nothing more is sent.
    func finish() { self.outbound.finish() }

    /// Returns the next answer whole, also one of the informational ones; `nil` if the connection ends before it.
    ///
    /// - Parameter hasContent: whether what its length says follows it; not so after HEAD.
    func response(hasContent: Bool = true) async throws -> RawResponse? {
        while true {
            if let (response, rest) = try RawResponse.parse(self.reader.pending, hasContent: hasContent) {
                self.reader.pending = rest
                return response
            }
            guard let bytes = try await self.next() else {
                guard self.reader.pending.isEmpty else { throw Failure(text: "The answer is cut off.") }
                return nil
            }
            self.reader.pending.append(bytes)
        }
    }

    /// Waits for the end of the connection and returns how many bytes came before it.
    func end() async throws -> Int {
        var count = self.reader.pending.count
        while let bytes = try await self.next() { count += bytes.count }
        return count
    }

    private func next() async throws -> Data? {
        do {
            return try await self.reader.iterator.next(isolation: #isolation).map { Data($0.readableBytesView) }
        } catch let error as IOError where error.errnoCode == ECONNRESET {
            return nil
        } catch NIOSSLError.uncleanShutdown {
            return nil
        }
    }
}
