import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import NIOCore
import Testing

@testable import OutboundHTTP

/// A refusal that begins before the request is out and ends long after.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct SlowRefusalTests {
    private func upload(
        _ count: Int,
        isAnswered: Bool,
        configuration: OutboundHTTPClient.Configuration = .init()
    ) async throws -> (exchange: HTTPExchange, sent: UInt64) {
        let server = try await SlowRefusalServer.start(bodyLength: isAnswered ? count : nil)
        let port = try #require(server.localAddress?.port)
        let tracker = UploadProgressTracker()
        let endpoint = try RemoteEndpoint("http://127.0.0.1:\(port)/")
        let exchange = try await withClient(configuration) { client in
            await client.upload(
                .bytes(Data(count: count)),
                to: endpoint,
                deadline: .seconds(20),
                progress: tracker
            )
        }
        try await server.close()
        return (exchange, tracker.progress.bodyBytes)
    }

    @Test("Once the request is out after all, the body of a refusal is waited for as that of any other reply")
    func outAfterAll() async throws {
        // What the buffers take of a body whose rest is never taken, in whole chunks: with one chunk more than that all
        // is handed over, and not all of it taken, when the refusal begins.
        var configuration = OutboundHTTPClient.Configuration()
        configuration.idleWriteTimeout = .milliseconds(500)
        let stalled = try await self.upload(64 << 20, isAnswered: false, configuration: configuration)
        #expect(stalled.exchange.failure?.code == .idleWriteTimeout)
        let count = Int(stalled.sent) / BodyStream.chunkSize * BodyStream.chunkSize + BodyStream.chunkSize
        #expect(count < 64 << 20)
        let reply = try #require(try await self.upload(count, isAnswered: true).exchange.reply)
        #expect(reply.status == 413)
        #expect(reply.isComplete)
        #expect(String(decoding: reply.body, as: UTF8.self) == SlowRefusalServer.refusal)
    }
}
