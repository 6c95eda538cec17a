import Foundation
import IDCardTesting
import MultipartForm
import Synchronization
import Testing

@testable import OutboundHTTP

/// What is reported of an upload while it runs.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct ProgressTests {
    private final class Log: Sendable {
        private let state = Mutex<[UploadProgress]>([])
        var all: [UploadProgress] { self.state.withLock { $0 } }
        func append(_ progress: UploadProgress) { self.state.withLock { $0.append(progress) } }
    }

    @Test("Progress over a broken attempt and a whole one never runs backwards and ends exactly at the length")
    func monotone() async throws {
        let form = try makeForm(fileBytes: 8 << 20)
        let log = Log()
        let tracker = UploadProgressTracker { log.append($0) }
        let scripts: [FaultScript] = [.reset(at: .bodyByte(1 << 20)), .reply(FaultReply())]
        let server = FaultServer(scripts)
        let port = try await server.start()
        let endpoint = try RemoteEndpoint("http://127.0.0.1:\(port)/")
        let (first, between, second) = try await withClient { client in
            let first = await client.post(form, to: endpoint, deadline: .seconds(20), progress: tracker)
            let between = tracker.progress
            return (first, between, await client.post(form, to: endpoint, deadline: .seconds(20), progress: tracker))
        }
        await server.stop()
        #expect(first.failure?.phase == .afterSend)
        #expect(second.reply?.status == 200)
        #expect(between.bodyBytes < form.contentLength)
        #expect(between.bodyBytes > 0)
        #expect(!between.isComplete)
        let all = log.all
        for (earlier, later) in zip(all, all.dropFirst()) {
            #expect(later.bodyBytes >= earlier.bodyBytes)
            #expect(later.totalBytes >= earlier.totalBytes)
            #expect(later.contentLength == form.contentLength)
        }
        let last = try #require(all.last)
        #expect(last.isComplete)
        #expect(last.bodyBytes == form.contentLength)
        // Both attempts with their heads.
        let heads = server.received.reduce(0) { $0 + $1.headLength }
        #expect(last.totalBytes == between.totalBytes + form.contentLength + UInt64(heads / 2))
        #expect(last == tracker.progress)
    }

    @Test("The bytes of one whole attempt are those on the wire, also under reuse of the connection")
    func wireBytes() async throws {
        try await withFaultServer(.reply(FaultReply())) { server, port in
            let endpoint = try RemoteEndpoint("http://127.0.0.1:\(port)/")
            try await withClient(.patient) { client in
                for size in [0, 1, 200_000] {
                    let tracker = UploadProgressTracker()
                    let form = try makeForm(fileBytes: size)
                    let exchange = await client.post(form, to: endpoint, deadline: .seconds(20), progress: tracker)
                    #expect(exchange.reply?.status == 200)
                    let received = try #require(server.received.last)
                    #expect(tracker.progress.bodyBytes == UInt64(received.bodyLength))
                    #expect(tracker.progress.totalBytes == UInt64(received.headLength + received.bodyLength))
                }
            }
            #expect(server.connections == 1)
        }
    }

    @Test("Nothing is reported of an attempt that was not sent")
    func notSent() async throws {
        let tracker = UploadProgressTracker()
        let refusing = try RefusingPort()
        defer { refusing.close() }
        let endpoint = try RemoteEndpoint("http://127.0.0.1:\(refusing.port)/")
        let form = try makeForm()
        let exchange = try await withClient {
            await $0.post(form, to: endpoint, deadline: .seconds(20), progress: tracker)
        }
        #expect(exchange.failure?.phase == .notSent)
        #expect(tracker.progress == UploadProgress(contentLength: 0))
    }
}
