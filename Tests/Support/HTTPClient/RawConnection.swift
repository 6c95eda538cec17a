package import Foundation
import NIOCore
import NIOPosix
package import NIOSSL

/// A client that sends what it is told to, well-formed or not.
package struct RawConnection: Sendable {
    /// What came is no answer, or only a part of one.
    package struct Failure: Error {
        var text: String
    }

    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let reader: Reader

    /// Holds what has come and was not looked at; one task at a time reads.
    private final class Reader: @unchecked Sendable {
        var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        var pending = Data()

        init(_ inbound: NIOAsyncChannelInboundStream<ByteBuffer>) {
            self.iterator = inbound.makeAsyncIterator()
        }
    }

    /// Connects, and disconnects at the end.
    ///
    /// - Parameter source: the address that it comes from, one of this machine.
    package static func with<Value: Sendable>(
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
            try await body(RawConnection(outbound: outbound, reader: Reader(inbound)))
        }
    }

    /// Sends one request on a connection of its own, and returns its answer.
    package static func answer(to request: RawRequest, port: Int) async throws -> RawResponse {
        try await Self.with(port: port) { connection in
            // A refusal may come, and the connection end, before all of it is sent.
            try? await connection.send(request.bytes)
            guard let response = try await connection.response() else { throw Failure(text: "There is no answer.") }
            return response
        }
    }

    package func send(_ text: String) async throws { try await self.send(Data(text.utf8)) }

    package func send(_ bytes: Data) async throws { try await self.outbound.write(ByteBuffer(bytes: bytes)) }

    /// Says that nothing more is sent.
    package func finish() { self.outbound.finish() }

    /// Returns the next answer whole, also one of the informational ones; `nil` if the connection ends before it.
    ///
    /// - Parameter hasContent: whether what its length says follows it; not so after HEAD.
    package func response(hasContent: Bool = true) async throws -> RawResponse? {
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
    package func end() async throws -> Int {
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
