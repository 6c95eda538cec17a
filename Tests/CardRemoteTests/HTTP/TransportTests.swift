import CardModel
import Foundation
import MultipartForm
import Synchronization
import TestSupport
import Testing

@testable import CardRemote

/// How each fault of the way is named, and whether the remote may have seen the request.
@Suite(.timeLimit(.minutes(5))) struct TransportTests {
    @Test func `A refused connection, and a host name without address, have sent nothing`() async throws {
        let refusing = try RefusingPort()
        defer { refusing.close() }
        for (address, code) in [
            ("127.0.0.1:\(refusing.port)", HTTPFailure.Code.connectRefused), ("no-such-host.invalid", .dns),
        ] {
            let failure = try await withEndpoint("http://\(address)/") {
                await $0.post(.form(try makeForm())).failure
            }
            #expect(failure?.kind == "notSent \(code)")
            #expect(failure?.remoteFailure(afterSend: .unknown).failureClass == .notSent)
        }
    }

    @Test(arguments: [0, 1, 60_000, 2_000_000])
    func `A reset is after the sending, wherever in the body it falls`(afterBodyBytes: Int) async throws {
        let failure = try await exchange(.reset(atBodyByte: afterBodyBytes), fileBytes: 2_000_000).failure
        #expect(failure?.phase == .afterSend)
        #expect(failure?.code == .connectionReset || failure?.code == .connectionClosed)
        #expect(failure?.remoteFailure(afterSend: .unknown).failureClass == .unknown)
    }

    /// What a test of the table has the remote do, and how the fault is named.
    private static let faults: [(FaultScript, HTTPFailure.Code)] = [
        (.close, .connectionClosed),
        (.replyAndClose(Self.raw("Content-Length: 100", "{\"RETCODE\":")), .connectionClosed),
        (.silence, .deadlineExceeded), (.stall(atBodyByte: 1), .deadlineExceeded),
        (.replyAndClose(Self.raw("Content-Length: 1048577", Self.tooLong)), .replyTooLarge),
        (.replyAndClose(Self.raw("Connection: close", Self.tooLong)), .replyTooLarge),
        (.replyAndClose(FaultReply(raw: "SSH-2.0-OpenSSH_9.2p1\r\n")), .replyMalformed),
        (.reply(FaultReply(raw: String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 20))), .replyMalformed),
    ]
    private static let tooLong = String(repeating: "x", count: Limits.replyBytes + 1)

    private static func raw(_ header: String, _ body: String) -> FaultReply {
        FaultReply(raw: "HTTP/1.1 200 OK\r\n\(header)\r\n\r\n\(body)")
    }

    @Test(arguments: faults) func `Each fault of a remote has its name, and is after the sending`(
        script: FaultScript,
        code: HTTPFailure.Code
    ) async throws {
        // More than the sockets hold for the remote that takes no more, a time that ends for the silent ones.
        let timeout: Duration = code == .deadlineExceeded ? .seconds(2) : .seconds(20)
        let failure = try await exchange(script, fileBytes: 16 << 20, timeout: timeout).failure
        #expect(failure?.kind == "afterSend \(code)")
    }

    /// Status lines that end no process, whatever they hold: async-http-client traps at those of 000 to 099.
    private static let statusLines =
        [0, 1, 2, 9, 10, 42, 77, 90, 98, 99].flatMap { code in
            let digits = String(repeating: "0", count: 3 - String(code).count) + String(code)
            return ["HTTP/1.1 \(digits) X", "HTTP/1.0 \(digits)", "HTTP/1.1 \(digits) OK"]
        } + [
            "HTTP/1.1 100 Continue", "HTTP/1.1 101 Switching Protocols", "HTTP/1.1 102 Processing", "HTTP/1.1 199 X",
            "HTTP/1.1 600 X", "HTTP/1.1 999 X", "HTTP/1.1 0 X", "HTTP/1.1 00 X", "HTTP/1.1 0000 X", "HTTP/1.1 -01 X",
            "HTTP/1.1 2O0 OK", "HTTP/9.9 000 X", "HTTP/1.1  000 X", "HTTP/1.1 000",
        ]

    @Test func `A status line that is not HTTP, or an interim one, ends as a failure or a reply of that status`()
        async throws
    {
        #expect(Self.statusLines.count == 44)
        for line in Self.statusLines {
            let bytes = "\(line)\r\nContent-Length: 24\r\n\r\n{\"RETCODE\":\"000000\"}\n\n\n"
            let ended = try await exchange(.replyAndClose(FaultReply(raw: bytes)), timeout: .seconds(5))
            if let failure = ended.failure {
                #expect(failure.phase == .afterSend, "\(line)")
                if line.hasPrefix("HTTP/1.1 0") && line.split(separator: " ")[1].count == 3 {
                    #expect(failure.code == .replyMalformed, "\(line)")
                }
            } else {
                #expect([600, 999, 101].contains(ended.reply?.status), "\(line): \(ended)")
            }
        }
    }

    @Test(arguments: [
        ("Transfer-Encoding: chunked", "15\r\n{\"RETCODE\":\"000000\"}\n\r\n"),
        ("Content-Length: 100", "{\"RETCODE\":\"000000\"}\n"),
    ])
    func `A JSON object that is whole is the reply, although the connection ended too early`(
        header: String,
        body: String
    ) async throws {
        let reply = try await exchange(.replyAndClose(Self.raw(header, body))).reply
        #expect(reply?.status == 200)
        #expect(reply.map { String(decoding: $0.body, as: UTF8.self) } == "{\"RETCODE\":\"000000\"}\n")
    }

    @Test(arguments: ["{\"RETCODE\":\"000000\"", "0", "\"000000\"", "[]", "{\"a\":{}", "", "<RETCODE>000000</RETCODE>"])
    func `What may go on is no reply when the connection ended too early`(body: String) async throws {
        let cut = Self.raw("Content-Length: 100", body)
        #expect(try await exchange(.replyAndClose(cut)).failure?.code == .connectionClosed)
    }

    @Test func `A reply of exactly the limit is read`() async throws {
        let reply = FaultReply("200 OK", body: String(repeating: "x", count: Limits.replyBytes))
        #expect(try await exchange(.reply(reply)).reply?.body.count == Limits.replyBytes)
    }

    @Test(arguments: [20, 2_000_000])
    func `An error status counts although its body breaks off or exceeds the limit`(announced: Int) async throws {
        let text = "HTTP/1.1 502 Bad Gateway\r\nContent-Length: \(announced)\r\n\r\n<html>"
        let reply = try await exchange(.replyAndClose(FaultReply(raw: text))).reply
        #expect(reply?.status == 502)
        #expect(reply?.isComplete == false)
    }

    @Test func `A fraction of seconds to wait comes with the reply, rounded up`() async throws {
        let reply = FaultReply("503 Service Unavailable", headers: ["Retry-After: 2.5"])
        #expect(try await exchange(.reply(reply)).reply?.retryAfter == .seconds(3))
    }

    @Test func `A redirect is a reply and is not followed`() async throws {
        try await withFaultServer(.reply(FaultReply("302 Found", headers: ["Location: /elsewhere"]))) { server, port in
            let reply = try await withEndpoint("http://127.0.0.1:\(port)/") {
                await $0.post(.form(try makeForm())).reply
            }
            #expect(reply?.status == 302)
            #expect(server.received.map(\.path) == ["/"])
        }
    }

    @Test(arguments: FaultScript.AfterEarlyReply.allCases.filter { $0 != .drain })
    func `A success before the form is sent is not believed, and its connection not used again`(
        then: FaultScript.AfterEarlyReply
    ) async throws {
        let early = FaultScript.earlyReply(FaultReply("200 OK", body: "taken"), then: then)
        try await withFaultServer(early, .reply(FaultReply("200 OK"))) { server, port in
            let exchanges = try await withEndpoint("http://127.0.0.1:\(port)/") { endpoint in
                let form = try makeForm(fileBytes: 16 << 20)
                return [await endpoint.post(.form(form)), await endpoint.post(.form(form))]
            }
            #expect(exchanges[0].failure?.kind == "afterSend earlySuccess")
            #expect(exchanges[1].reply?.status == 200)
            #expect(server.received.map(\.connection) == [0, 1])
        }
    }

    @Test func `A form arrives with its exact length and bytes, the same every time`() async throws {
        try await withFaultServer(.reply(FaultReply("200 OK"))) { server, port in
            let form = try makeForm(fileBytes: 200_000)
            try await withEndpoint("http://127.0.0.1:\(port)/in?a=b") { endpoint in
                for _ in 0..<2 { #expect(await endpoint.post(.form(form)).reply?.status == 200) }
            }
            var reader = form.makeReader()
            var expected: [UInt8] = []
            while let chunk = reader.read(upTo: 4096) { expected += chunk }
            #expect(server.received.map(\.body) == [expected, expected])
            #expect(server.received.map(\.announcedLength) == [expected.count, expected.count])
            #expect(server.received[0].path == "/in?a=b")
            #expect(server.received[0].header("Content-Type") == "multipart/form-data; boundary=test-boundary")
            // One connection is enough for two requests.
            #expect(server.connections == 1)
        }
    }

    @Test(arguments: [0, 1, 65_536, 65_537, 1_000_000])
    func `Raw bytes arrive as they are`(count: Int) async throws {
        try await withFaultServer(.reply(FaultReply("200 OK"))) { server, port in
            let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try await withEndpoint("http://127.0.0.1:\(port)/") { endpoint in
                _ = await endpoint.post(.bytes(data, contentType: "image/jpeg"))
            }
            #expect(server.received.map(\.body) == [Array(data)])
            #expect(server.received.first?.header("Content-Type") == "image/jpeg")
        }
    }

    @Test func `Progress never runs backwards and ends with the whole body`() async throws {
        let seen = Mutex<[Int64]>([])
        try await withFaultServer(.reply(FaultReply("200 OK"))) { _, port in
            let form = try makeForm(fileBytes: 1_000_000)
            try await withEndpoint("http://127.0.0.1:\(port)/") { endpoint in
                _ = await endpoint.post(.form(form)) { sent, total in
                    #expect(total == Int64(form.contentLength))
                    seen.withLock { $0.append(sent) }
                }
            }
            let steps = seen.withLock { $0 }
            #expect(steps == steps.sorted())
            #expect(steps.count > 5)
            #expect(steps.last == Int64(form.contentLength))
        }
    }

    @Test(arguments: [nil, 48])
    func `As many requests as are configured, else thirty-two, are under way at a time, and a further one waits`(
        configured: Int?
    ) async throws {
        let count = configured ?? 32
        let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let waitForRelease: @Sendable () async -> Void = { for await _ in released { return } }
        try await withFaultServer(
            .answerLater { _ in
                arrival.yield()
                await waitForRelease()
                return FaultReply("200 OK")
            }
        ) { server, port in
            let url = "http://127.0.0.1:\(port)/"
            try await withEndpoint(url, { if let configured { $0.concurrency = configured } }) { endpoint in
                try await withThrowingTaskGroup(of: Int?.self) { group in
                    for _ in 0...count { group.addTask { await endpoint.post(.form(try makeForm())).reply?.status } }
                    var arrivals = arrived.makeAsyncIterator()
                    for _ in 0..<count { await arrivals.next() }
                    #expect(server.connections == count)
                    release.finish()
                    for try await status in group { #expect(status == 200) }
                    #expect(server.connections == count)
                }
            }
        }
    }

    @Test func `A cancelled request says whether it was handed over`() async throws {
        let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
        try await withFaultServer(.commit({ _ in arrival.yield() }, then: .silence)) { server, port in
            try await withEndpoint("http://127.0.0.1:\(port)/") { endpoint in
                let form = try makeForm()
                let sent = Task { await endpoint.post(.form(form)) }
                for await _ in arrived { break }
                sent.cancel()
                guard case .cancelled(.afterSend) = await sent.value else { throw CancellationError() }
                let unsent = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return await endpoint.post(.form(form))
                }
                guard case .cancelled(.notSent) = await unsent.value else { throw CancellationError() }
                #expect(server.received.count == 1)
            }
        }
    }

    @Test(arguments: ["407 Proxy Authentication Required", "502 Bad Gateway"])
    func `a proxy that opens no tunnel sent nothing, one that wants credentials stops`(status: String) async throws {
        try await withFaultServer(.replyAndClose(FaultReply(status))) { server, port in
            let failure = try await withEndpoint(
                "http://backend.invalid/",
                { $0.proxy = Redacted("http://user:canary@127.0.0.1:\(port)") },
                run: { await $0.post(.form(try makeForm())).failure }
            )
            let wantsCredentials = status.hasPrefix("407")
            #expect(failure?.phase == .notSent)
            let remote = failure?.remoteFailure(afterSend: .unknown)
            #expect(remote?.failureClass == (wantsCredentials ? .stop : .notSent))
            #expect(remote?.code == (wantsCredentials ? "http_407" : "proxy_refused"))
            #expect(remote?.stopScope == .account)
            #expect(server.received.first?.head.hasPrefix("CONNECT backend.invalid:80") == true)
            #expect(failure?.message.contains("canary") == false)
        }
    }
}
