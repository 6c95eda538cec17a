import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import Testing

@testable import OutboundHTTP

/// Bytes sent as they are, and what may stand beside them in headers.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct RawUploadTests {
    private func upload(
        _ content: MultipartForm.Content,
        contentType: String = "application/octet-stream",
        headers: [(name: String, value: String)] = [],
        script: FaultScript = .reply(FaultReply())
    ) async throws -> (exchange: HTTPExchange, server: FaultServer) {
        let server = FaultServer([script])
        let port = try await server.start()
        let endpoint = try RemoteEndpoint("http://127.0.0.1:\(port)/raw")
        let exchange = try await withClient {
            await $0.upload(content, contentType: contentType, to: endpoint, headers: headers, deadline: .seconds(20))
        }
        await server.stop()
        return (exchange, server)
    }

    private func withFile(_ data: Data, run: (String, FileHandle) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "raw-\(UUID().uuidString).bin").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(FileManager.default.createFile(atPath: path, contents: data))
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try await run(path, file)
        try file.close()
    }

    @Test(
        "The bytes of memory and of a file arrive alone, with their exact length and their metadata in headers",
        arguments: [0, 1, 65_535, 65_536, 65_537, 1_000_003]
    )
    func bytes(size: Int) async throws {
        let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await self.withFile(data) { path, _ in
            for content in [MultipartForm.Content.bytes(data), .file(path: path, length: UInt64(size))] {
                let headers = [(name: "X-Business-No", value: "SPECIMEN-1"), (name: "X-Empty", value: "")]
                let result = try await self.upload(content, contentType: "image/jpeg", headers: headers)
                #expect(result.exchange.reply?.status == 200)
                let received = try #require(result.server.received.first)
                #expect(received.body == Array(data))
                #expect(received.announcedLength == size)
                #expect(received.header("Content-Type") == "image/jpeg")
                #expect(received.header("Transfer-Encoding") == nil)
                #expect(received.header("X-Business-No") == "SPECIMEN-1")
                #expect(received.header("X-Empty") == "")
                #expect(received.path == "/raw")
            }
        }
    }

    @Test("A file of another length than stated sends nothing", arguments: [2, 4])
    func wrongLength(stated: UInt64) async throws {
        try await self.withFile(Data("abc".utf8)) { path, _ in
            let result = try await self.upload(.file(path: path, length: stated))
            #expect(result.exchange.failure?.code == .formUnreadable)
            #expect(result.exchange.failure?.phase == .notSent)
            #expect(result.server.connections == 0)
        }
    }

    @Test(
        "A file that changes while it is sent breaks the request off and is said to have changed",
        arguments: [Change.truncated, .grown, .touched],
        [true, false]
    )
    func changed(change: Change, isRaw: Bool) async throws {
        let size = 32 << 20
        try await self.withFile(Data()) { path, file in
            try file.truncate(atOffset: UInt64(size))
            let act: @Sendable () -> Void = {
                switch change {
                case .truncated: try? file.truncate(atOffset: 1000)
                case .grown: try? file.truncate(atOffset: UInt64(size) + 1)
                case .touched:
                    let date = Date(timeIntervalSince1970: 1_000_000_000)
                    try? FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
                }
            }
            let content = MultipartForm.Content.file(path: path, length: UInt64(size))
            let script = FaultScript.atHead(act, reply: FaultReply())
            let failure: HTTPFailure?
            if isRaw {
                failure = try await self.upload(content, script: script).exchange.failure
            } else {
                let parts = [MultipartForm.Part.file(content, name: "f", filename: "f", contentType: "a/b")]
                let form = try MultipartForm(parts: parts, boundary: Boundary("changed"))
                let server = FaultServer([script])
                let port = try await server.start()
                failure = try await withClient { try await post(form, port: port, with: $0).failure }
                #expect(UInt64(server.received.first?.bodyLength ?? .max) < form.contentLength)
                await server.stop()
            }
            #expect(failure?.code == .formUnreadable)
            #expect(failure?.phase == .afterSend)
            #expect(failure?.message.contains("The file of part 1") == true)
            #expect(failure?.message.contains("describe the form anew") == true)
            #expect(failure?.message.contains(path) == false)
        }
    }

    /// How a file changes.
    enum Change: CaseIterable {
        case truncated
        case grown
        case touched
    }

    @Test(
        "A header that cannot be sent is refused before anything is, and its value is not repeated",
        arguments: [
            ("X-A", "canary\r\nX-B: 1"), ("X-A", "canary\n"), ("X-A", "canary\0"), ("X-A", "canary\u{7F}"),
            ("X-A", "canary 身份证"), ("X-A", " canary"), ("X-A", "canary\t"), ("", "canary"), ("X A", "canary"),
            ("X-Ä", "canary"), ("X\r\nY", "canary"), ("Content-Length", "1"), ("transfer-encoding", "chunked"),
            ("Host", "canary"), ("Content-Type", "text/plain"), ("Expect", "100-continue"),
        ]
    )
    func headers(name: String, value: String) async throws {
        let result = try await self.upload(.bytes(Data("x".utf8)), headers: [(name: name, value: value)])
        #expect(result.exchange.failure?.code == .invalidRequest)
        #expect(result.exchange.failure?.phase == .notSent)
        #expect(result.exchange.failure?.message.contains("canary") == false)
        #expect(result.exchange.failure?.message.contains("header") == true)
        #expect(result.exchange.failure?.remoteFailure(afterSend: .unknown).failureClass == .stop)
        #expect(result.server.connections == 0)
    }

    @Test("A media type that is none is refused", arguments: ["", "jpeg", "image/jpeg\r\nX: y", "图/片"])
    func contentType(value: String) async throws {
        let result = try await self.upload(.bytes(Data("x".utf8)), contentType: value)
        #expect(result.exchange.failure?.code == .invalidRequest)
        #expect(result.exchange.failure?.message.contains("'Content-Type' is no media type") == true)
        #expect(result.server.connections == 0)
    }
}
