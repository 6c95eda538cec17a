import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardRemote

/// A server that answers once too often on a kept connection tells nothing about the next request.
@Suite(.timeLimit(.minutes(5))) struct UnaskedAnswerTests {
    private static let good = FaultReply.json(#"{"RETCODE":"000000"}"#)
    private static let page = FaultReply("400 Bad Request", headers: ["Content-Type: text/html"], body: "<html></html>")
    private static let chunked = "HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbad\r\n0\r\n\r\n"
    /// What comes unasked: a page, the same answer once more, no HTTP, the beginning of an answer, an empty line.
    private static let unasked = [
        Self.page, Self.good, FaultReply(raw: "junk\r\n\r\n"), FaultReply(raw: "HTTP/1.1 40"), FaultReply(raw: "\r\n"),
    ]
    /// More than the socket takes at a time.
    private static let large = 16 << 20

    /// Posts forms one after the other, the second and all further ones queued behind the first.
    private func statuses(_ count: Int, fileBytes: Int, port: Int) async throws -> [String] {
        try await withEndpoint("http://127.0.0.1:\(port)/", { $0.concurrency = 1 }) { endpoint in
            let form = try makeForm(fileBytes: fileBytes)
            return await withTaskGroup(of: String.self) { group in
                for _ in 0..<count {
                    group.addTask {
                        let exchange = await endpoint.post(.form(form))
                        // A failure shows what it was.
                        return exchange.reply.map { "\($0.status)" } ?? exchange.failure?.code.rawValue ?? "\(exchange)"
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
    }

    // What is but the beginning of an answer is not seen before it goes on.
    @Test(arguments: Self.unasked.filter { $0.bytes.count != 11 }, [100, 200_000])
    func `what comes together with an answer is not the next request's`(unasked: FaultReply, fileBytes: Int)
        async throws
    {
        let both = FaultReply(raw: Self.good.bytes + unasked.bytes)
        try await withFaultServer(.reply(both)) { server, port in
            let count = 12
            let statuses = try await self.statuses(count, fileBytes: fileBytes, port: port)
            #expect(statuses == Array(repeating: "200", count: count))
            // Each form arrived whole, once.
            #expect(server.received.count { $0.body.count == $0.announcedLength } == count)
        }
    }

    @Test(arguments: Self.unasked)
    func `what comes later, with no request under way or while its form is sent, is not its answer`(
        unasked: FaultReply
    ) async throws {
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let more: @Sendable () async -> FaultReply = {
            for await _ in asked { break }
            return unasked
        }
        try await withFaultServer(.replyThenMore(Self.good, more: more), .reply(Self.good)) { server, port in
            try await withEndpoint("http://127.0.0.1:\(port)/") { endpoint in
                let form = try makeForm(fileBytes: Self.large)
                #expect(await endpoint.post(.form(form)).reply?.status == 200)
                ask.finish()
                #expect(await endpoint.post(.form(form)).reply?.status == 200)
            }
            #expect(server.connections == 2)
            #expect(server.received.count { $0.body.count == $0.announcedLength } == 2)
        }
    }

    @Test(arguments: [Self.page, Self.good, FaultReply(raw: Self.chunked)], FaultScript.AfterEarlyReply.allCases)
    func `an early answer on a used connection is not believed, and the form goes on a new one`(
        early: FaultReply,
        then: FaultScript.AfterEarlyReply
    ) async throws {
        let server = FaultServer { request, connection in
            request == 1 && connection == 0 ? .earlyReply(early, then: then) : .reply(Self.good)
        }
        try await server.listening { port in
            let exchanges = try await withEndpoint("http://127.0.0.1:\(port)/") { endpoint in
                let form = try makeForm(fileBytes: Self.large)
                return [await endpoint.post(.form(form)), await endpoint.post(.form(form))]
            }
            #expect(exchanges.map { $0.reply?.status } == [200, 200])
            #expect(server.received.map(\.connection) == [0, 0, 1])
            #expect(server.received[1].body.count < server.received[1].announcedLength ?? 0)
        }
    }

    @Test(arguments: [Self.page, FaultReply(raw: Self.chunked)], FaultScript.AfterEarlyReply.allCases)
    func `an early refusal on a new connection is certain`(early: FaultReply, then: FaultScript.AfterEarlyReply)
        async throws
    {
        let reply = try await exchange(.earlyReply(early, then: then), fileBytes: Self.large).reply
        #expect(reply?.status == 400)
        #expect(reply?.isComplete == true)
        #expect(reply?.isOnReusedConnection == false)
    }

    @Test func `an interim answer on a used connection is none`() async throws {
        let interim = FaultScript.earlyReply(FaultReply(raw: "HTTP/1.1 100 Continue\r\n\r\n"), then: .drain)
        try await withFaultServer(.reply(Self.good), interim) { server, port in
            let failure = try await withEndpoint("http://127.0.0.1:\(port)/", { $0.timeout = .seconds(8) }) {
                _ = await $0.post(.form(try makeForm(fileBytes: Self.large)))
                return await $0.post(.form(try makeForm(fileBytes: Self.large))).failure
            }
            #expect(failure?.code == .deadlineExceeded && failure?.phase == .afterSend)
            #expect(server.received.map { $0.body.count == $0.announcedLength } == [true, true])
        }
    }

    @Test func `without reuse each request has its connection`() async throws {
        try await withFaultServer(.reply(Self.good)) { server, port in
            try await withEndpoint("http://127.0.0.1:\(port)/", { $0.reusesConnections = false }) { endpoint in
                let form = try makeForm()
                for _ in 0..<3 { #expect(await endpoint.post(.form(form)).reply?.status == 200) }
            }
            #expect(server.received.map(\.connection) == [0, 1, 2])
        }
    }

    @Test func `a card that another's answer may have told names the setting that prevents it`() async throws {
        let refusal = FaultReply.json(#"{"RETCODE":"E1"}"#)
        for (status, reply) in [("E1", refusal), ("http_400", Self.page)] {
            try await withFaultServer(.reply(reply)) { _, port in
                let named = try await withBackend(port: port) { backend in
                    let parts = try await backend.parts(for: [makeMember(.front)])
                    let images = [makeMember(.front).card: Data([0xFF, 0xD8, 0xFF, 0xD9])]
                    let boundary = try backend.boundary(for: "key", parts: parts, images: images)
                    let delivery = OutboundDelivery(
                        idempotencyKey: "key",
                        boundary: boundary,
                        parts: parts,
                        images: images
                    )
                    var named: [Bool?] = []
                    for _ in 0..<2 {
                        let failure = try await backend.send(delivery).failure
                        #expect(failure?.code == status)
                        named.append(failure?.message.contains("delivery.reuse_connections"))
                    }
                    return named
                }
                #expect(named == [false, true])
            }
        }
    }
}
