import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import Testing

@testable import OutboundHTTP

/// The fault server itself, where the other tests do not use it: what it promises to the engine's tests.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct FaultServerTests {
    /// Sends so many forms at a time.
    private func replies(_ count: Int, port: Int) async throws -> [HTTPReply] {
        try await withClient(.patient) { client in
            try await withThrowingTaskGroup(of: HTTPReply?.self) { group in
                for _ in 0..<count { group.addTask { try await post(makeForm(), port: port, with: client).reply } }
                var replies: [HTTPReply] = []
                while let reply = try await group.next() { replies += [reply].compactMap { $0 } }
                return replies
            }
        }
    }

    @Test("An endpoint that allows so many requests at a time refuses the others, and says so", arguments: [1, 3])
    func throttled(limit: Int) async throws {
        let gate = ConcurrencyGate(limit: limit, holdingMilliseconds: 100)
        try await withFaultServer(.throttled(gate, { _ in FaultReply.json("{}") })) { server, port in
            let replies = try await self.replies(8, port: port)
            let refused = replies.filter { $0.status == 403 }
            #expect(replies.count { $0.status == 200 } == gate.admitted)
            #expect(refused.count == gate.refused)
            #expect(gate.admitted + gate.refused == 8)
            #expect(gate.mostInside <= limit)
            #expect(gate.admitted >= limit)
            #expect(server.requests == 8)
            for reply in refused {
                let json = JSONValue(parsing: reply.body)?.object
                #expect(json?["error_message"]?.text == "CONCURRENCY_LIMIT_EXCEEDED")
            }
        }
    }

    @Test("A script is chosen by the number of the request and may compute its answer from it")
    func computed() async throws {
        let server = FaultServer { request, _ in
            request == 1
                ? .reply(.tooLarge) : .answer { FaultReply(body: "\($0.number) \($0.bodyLength) \($0.isComplete)") }
        }
        let port = try await server.start()
        let form = try makeForm()
        let replies = try await withClient { client in
            var replies: [String] = []
            for _ in 0..<3 {
                let reply = try await post(form, port: port, with: client).reply
                replies.append("\(reply?.status ?? 0) " + String(decoding: reply?.body ?? Data(), as: UTF8.self))
            }
            return replies
        }
        await server.stop()
        let length = form.contentLength
        #expect(replies == ["200 0 \(length) true", "413 Request Entity Too Large", "200 2 \(length) true"])
    }

    @Test("A 503 asks to wait in both forms, and they mean the same")
    func unavailable() async throws {
        // The clock of the test's client: 2024-01-01T00:00:00Z.
        let date = Date(timeIntervalSince1970: 1_704_067_200 + 90)
        #expect(FaultReply.httpDate(date) == "Mon, 01 Jan 2024 00:01:30 GMT")
        for reply in [FaultReply.unavailable(retryAfterSeconds: 90), .unavailable(retryAfter: date)] {
            try await withFaultServer(.reply(reply)) { _, port in
                let reply = try await withClient { try await post(makeForm(), port: port, with: $0).reply }
                #expect(reply?.status == 503)
                #expect(reply?.retryAfter == .seconds(90))
            }
        }
    }

    @Test("A slow reader takes all of a body, with and without an end of its slowness", arguments: [nil, 100_000])
    func slow(slowBytes: Int?) async throws {
        var options = FaultServer.Options()
        options.receiveBufferBytes = 16_384
        let slow = SlowReading(bytesPerStep: 32_768, stepMilliseconds: 1, slowBytes: slowBytes)
        try await withFaultServer(.slow(slow, reply: FaultReply()), options: options) { server, port in
            let form = try makeForm(fileBytes: 2_000_000)
            let statuses = try await withClient(.patient) { client in
                let first = try await post(form, port: port, with: client).reply?.status
                return [first, try await post(form, port: port, with: client).reply?.status]
            }
            #expect(statuses == [200, 200])
            #expect(server.received.map { UInt64($0.bodyLength) } == [form.contentLength, form.contentLength])
        }
    }
}
