import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import Testing

@testable import OutboundHTTP

/// How each fault of the way is named, and whether the remote may have seen the request.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct OutboundFaultTests {
    /// Sends one form to a server that follows one script.
    private func failure(
        _ script: FaultScript,
        fileBytes: Int = 3000,
        configuration: OutboundHTTPClient.Configuration = .init(),
        deadline: Duration = .seconds(20)
    ) async throws -> HTTPFailure? {
        var failure: HTTPFailure?
        try await withFaultServer(script) { _, port in
            failure = try await withClient(configuration) { client in
                try await post(makeForm(fileBytes: fileBytes), port: port, with: client, deadline: deadline).failure
            }
        }
        return failure
    }

    @Test("A refused connection has sent nothing")
    func refused() async throws {
        let refusing = try RefusingPort()
        defer { refusing.close() }
        let failure = try await withClient { try await post(makeForm(), port: refusing.port, with: $0).failure }
        #expect(failure?.code == .connectRefused)
        #expect(failure?.phase == .notSent)
    }

    @Test("An address that does not answer has sent nothing")
    func connectTimeout() async throws {
        let listener = try SilentListener()
        defer { listener.close() }
        var configuration = OutboundHTTPClient.Configuration()
        configuration.connectTimeout = .milliseconds(300)
        let failure = try await withClient(configuration) {
            try await post(makeForm(), port: listener.port, with: $0).failure
        }
        #expect(failure?.code == .connectTimeout)
        #expect(failure?.phase == .notSent)
    }

    @Test("A host name without address has sent nothing")
    func unknownHost() async throws {
        let endpoint = try RemoteEndpoint("http://no-such-host.invalid/")
        let form = try makeForm()
        let exchange = try await withClient { await $0.post(form, to: endpoint, deadline: .seconds(20)) }
        #expect(exchange.failure?.code == .dns)
        #expect(exchange.failure?.phase == .notSent)
    }

    @Test("A reset is after the sending, wherever in the body it falls", arguments: [0, 1, 60_000, 2_000_000])
    func reset(afterBodyBytes: Int) async throws {
        let failure = try await self.failure(.reset(at: .bodyByte(afterBodyBytes)), fileBytes: 2_000_000)
        #expect(failure?.phase == .afterSend)
        #expect(failure?.code == .connectionReset || failure?.code == .connectionClosed)
    }

    @Test("A connection closed without a reply is after the sending")
    func closed() async throws {
        let failure = try await self.failure(.close)
        #expect(failure?.code == .connectionClosed)
        #expect(failure?.phase == .afterSend)
    }

    @Test("A success that breaks off in its body is no reply")
    func truncated() async throws {
        let failure = try await self.failure(
            .replyAndClose(FaultReply(raw: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"RETCODE\":"))
        )
        #expect(failure?.code == .connectionClosed)
        #expect(failure?.phase == .afterSend)
    }

    @Test("Silence ends with the deadline, after the sending")
    func deadline() async throws {
        let failure = try await self.failure(.silence, deadline: .seconds(10))
        #expect(failure?.code == .deadlineExceeded)
        #expect(failure?.phase == .afterSend)
    }

    @Test("Silence ends with the idle timeout, after the sending")
    func idle() async throws {
        var configuration = OutboundHTTPClient.Configuration()
        configuration.idleReadTimeout = .milliseconds(200)
        let failure = try await self.failure(.silence, configuration: configuration)
        #expect(failure?.code == .idleTimeout)
        #expect(failure?.phase == .afterSend)
    }

    @Test("A wait for a connection that ends has sent nothing")
    func pool() async throws {
        var configuration = OutboundHTTPClient.Configuration()
        configuration.maximumConnectionsPerHost = 1
        configuration.poolTimeout = .seconds(1)
        try await withFaultServer(.silence) { server, port in
            let failure = try await withClient(configuration) { client in
                try await withThrowingTaskGroup(of: HTTPFailure?.self) { group in
                    for _ in 0..<2 {
                        group.addTask { try await post(makeForm(), port: port, with: client).failure }
                    }
                    let first = try await group.next() ?? nil
                    group.cancelAll()
                    return first
                }
            }
            #expect(failure?.code == .poolTimeout)
            #expect(failure?.phase == .notSent)
            #expect(server.received.count == 1)
        }
    }

    @Test(
        "A reply beyond the limit is refused, announced or not",
        arguments: ["Content-Length: 2000", "Connection: close"]
    )
    func replyTooLarge(header: String) async throws {
        var configuration = OutboundHTTPClient.Configuration()
        configuration.maximumReplyBytes = 1000
        let text = "HTTP/1.1 200 OK\r\n\(header)\r\n\r\n" + String(repeating: "x", count: 2000)
        let failure = try await self.failure(.replyAndClose(FaultReply(raw: text)), configuration: configuration)
        #expect(failure?.code == .replyTooLarge)
        #expect(failure?.phase == .afterSend)
        #expect(failure?.message.contains("1000") == true)
    }

    @Test("A reply of exactly the limit is read")
    func replyAtLimit() async throws {
        var configuration = OutboundHTTPClient.Configuration()
        configuration.maximumReplyBytes = 1000
        let text = FaultReply("200 OK", body: String(repeating: "x", count: 1000))
        try await withFaultServer(.reply(text)) { _, port in
            let reply = try await withClient(configuration) { try await post(makeForm(), port: port, with: $0).reply }
            #expect(reply?.body.count == 1000)
        }
    }

    @Test("An error status counts although its body breaks off or exceeds the limit", arguments: [20, 2000])
    func errorStatusWithoutBody(announced: Int) async throws {
        var configuration = OutboundHTTPClient.Configuration()
        configuration.maximumReplyBytes = 1000
        let text = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: \(announced)\r\n\r\n<html>"
        try await withFaultServer(.replyAndClose(FaultReply(raw: text))) { _, port in
            let reply = try await withClient(configuration) { try await post(makeForm(), port: port, with: $0).reply }
            #expect(reply?.status == 502)
            #expect(reply?.isComplete == false)
        }
    }

    @Test("Something that is not HTTP is a malformed reply, after the sending")
    func malformed() async throws {
        let failure = try await self.failure(.replyAndClose(FaultReply(raw: "SSH-2.0-OpenSSH_9.2p1\r\n")))
        #expect(failure?.code == .replyMalformed)
        #expect(failure?.phase == .afterSend)
    }

    @Test(
        "A 413 before the body has ended is reported with its status",
        arguments: FaultScript.AfterEarlyReply.allCases,
        [
            FaultReply("413 Payload Too Large", body: "Request Entity Too Large"),
            FaultReply("413 Payload Too Large"),
            FaultReply(raw: "HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\n\r\n<html>"),
        ]
    )
    func earlyReply(then: FaultScript.AfterEarlyReply, text: FaultReply) async throws {
        let form = try self.largeForm()
        try await withFaultServer(.earlyReply(text, then: then)) { _, port in
            let reply = try await withClient { client in try await post(form, port: port, with: client).reply }
            #expect(reply?.status == 413)
        }
    }

    @Test("A success before the form is sent is not believed, and its connection not used again")
    func earlySuccess() async throws {
        let form = try self.largeForm()
        // One that takes in the rest may have it before its word is read: then it is a success.
        for then in FaultScript.AfterEarlyReply.allCases where then != .drain {
            let early = FaultScript.earlyReply(FaultReply("200 OK", body: "taken"), then: then)
            try await withFaultServer(early, .reply(FaultReply("200 OK"))) { server, port in
                let exchanges = try await withClient(.patient) { client in
                    let first = try await post(form, port: port, with: client)
                    return [first, try await post(form, port: port, with: client)]
                }
                #expect(exchanges[0].failure?.code == .earlySuccess)
                #expect(exchanges[0].failure?.phase == .afterSend)
                #expect(exchanges[1].reply?.status == 200)
                #expect(server.received.map(\.connection) == [0, 1])
            }
        }
    }

    /// A form of more bytes than the buffers of both sockets hold.
    private func largeForm() throws -> MultipartForm {
        let file = MultipartForm.Content.bytes(Data(count: 16 << 20))
        return try MultipartForm(
            parts: [.file(file, name: "f", filename: "f", contentType: "a/b")],
            boundary: Boundary("early-reply")
        )
    }

    @Test("A form whose file vanished sends nothing and is our own fault")
    func missingFile() async throws {
        let form = try MultipartForm(
            parts: [
                .file(.file(path: "/nonexistent/canary", length: 3), name: "f", filename: "f", contentType: "a/b")
            ],
            boundary: Boundary("b")
        )
        try await withFaultServer(.reply(FaultReply("200 OK"))) { server, port in
            let failure = try await withClient { try await post(form, port: port, with: $0).failure }
            #expect(failure?.code == .formUnreadable)
            #expect(failure?.phase == .notSent)
            #expect(failure?.remoteFailure(afterSend: .unknown).failureClass == .stop)
            #expect(server.connections == 0)
        }
    }

    @Test("A file is read as it is sent: cut short in between, the request breaks off")
    func backPressure() async throws {
        let size = 64 << 20
        let path = FileManager.default.temporaryDirectory.appending(path: "outbound-\(UUID().uuidString).bin")
        defer { try? FileManager.default.removeItem(at: path) }
        #expect(FileManager.default.createFile(atPath: path.path, contents: nil))
        let file = try FileHandle(forWritingTo: path)
        try file.truncate(atOffset: UInt64(size))
        let form = try MultipartForm(
            parts: [
                .file(.file(path: path.path, length: UInt64(size)), name: "f", filename: "f", contentType: "a/b")
            ],
            boundary: Boundary("back-pressure")
        )
        let cut: @Sendable () -> Void = { try? file.truncate(atOffset: 1000) }
        try await withFaultServer(.atHead(cut, reply: FaultReply("200 OK"))) { server, port in
            let failure = try await withClient { try await post(form, port: port, with: $0).failure }
            #expect(failure?.code == .formUnreadable)
            #expect(failure?.phase == .afterSend)
            #expect((server.received.first?.body.count ?? .max) < size)
        }
        try file.close()
    }

    @Test("A header that cannot be expressed is our own fault and sends nothing")
    func invalidHeader() async throws {
        try await withFaultServer(.reply(FaultReply("200 OK"))) { server, port in
            let failure = try await withClient { client in
                try await post(makeForm(), port: port, with: client, headers: [(name: "X", value: "a\r\nb")]).failure
            }
            #expect(failure?.code == .invalidRequest)
            #expect(failure?.phase == .notSent)
            #expect(server.received.isEmpty)
        }
    }

    @Test("A reused connection that breaks is after the sending, and the next request opens a fresh one")
    func reusedConnection() async throws {
        let form = try makeForm()
        let good = FaultReply("200 OK")
        try await withFaultServer(.reply(good), .reset(at: .bodyByte(0)), .reply(good)) { server, port in
            let exchanges = try await withClient(.patient) { client in
                let first = try await post(form, port: port, with: client)
                let second = try await post(form, port: port, with: client)
                return [first, second, try await post(form, port: port, with: client)]
            }
            #expect(exchanges.map { $0.reply?.status } == [200, nil, 200])
            #expect(exchanges[1].failure?.phase == .afterSend)
            #expect(server.received.map(\.connection) == [0, 0, 1])
        }
    }
}
