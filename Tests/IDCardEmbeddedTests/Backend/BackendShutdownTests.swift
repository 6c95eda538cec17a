import AsyncHTTPClient
import Foundation
import IDCardEmbedded
import IDCardTesting
import Logging
import NIOCore
import ServiceLifecycle
import Testing

@Suite("The embedded backend's end", .timeLimit(.minutes(Sanitizer.minutes(1))))
struct BackendShutdownTests {
    @Test("waits for the upload under way")
    func gracefulShutdown() async throws {
        let folder = BackendFolder()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (ports, portSink) = AsyncStream.makeStream(of: Int.self)
        let backend = EmbeddedBackend(configuration: .init(folder: folder.url.path), logger: logger) {
            portSink.yield($0)
        }
        let services = ServiceGroup(services: [backend], logger: logger)
        let form = HandWrittenForm.single()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            let port = try #require(await ports.first { _ in true })
            let client = BackendClient(port: port)
            let (chunks, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
            continuation.yield(ByteBuffer(bytes: form.body[..<50]))
            async let answer = client.send(
                "/upload",
                body: .stream(chunks, length: .known(Int64(form.body.count))),
                contentType: form.contentType,
                key: "\"k\""
            )
            while try await client.get("/healthz").json["running"] != "1" { await Task.yield() }
            await services.triggerGracefulShutdown()
            continuation.yield(ByteBuffer(bytes: form.body[50...]))
            continuation.finish()
            #expect(try await answer.retcode == "000000")
            try await group.waitForAll()
        }
        #expect(try folder.ledger().count == 1)
        // The folder is free again although the process lives on.
        try await withBackend(in: folder) { client async throws in
            #expect(try await client.upload(form, key: "\"k\"").isReplay)
        }
    }
}
