import CardModel
import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import CardRemote

/// A server that answers once too often on a kept connection tells nothing about the next request.
@Suite(.serialized, .timeLimit(.minutes(5))) struct UnaskedAnswerTests {
    /// What watches a connection hangs on a debug hook of the library, which another minor version may call otherwise or not
    /// at all: it is raised on purpose, with these tests.
    @Test func `the minor version of the library that is watched is pinned`() throws {
        let root = (1...4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let package = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        let line = package.split(separator: "\n").first { $0.contains("swift-server/async-http-client") }
        #expect(line?.contains(".upToNextMinor(from:") == true)
    }

    private static let good = FaultReply.json(#"{"RETCODE":"000000"}"#)
    private static let page = FaultReply("400 Bad Request", headers: ["Content-Type: text/html"], body: "<html></html>")
    private static let chunked = FaultReply(
        raw: "HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nbad\r\n0\r\n\r\n"
    )
    private static let interim = FaultReply(raw: "HTTP/1.1 100 Continue\r\n\r\n")
    /// What comes unasked: a page, the same answer once more, no HTTP, the beginning of an answer, an empty line.
    private static let unasked = [
        Self.page, Self.good, FaultReply(raw: "junk\r\n\r\n"), FaultReply(raw: "HTTP/1.1 40"), FaultReply(raw: "\r\n"),
    ]
    /// More than the socket takes at a time.
    private static let large = 16 << 20

    @Test(arguments: Self.unasked, [100, 200_000])
    func `what comes with an answer is not the next request's`(unasked: FaultReply, fileBytes: Int) async throws {
        let both = FaultReply(raw: Self.good.bytes + unasked.bytes)
        try await withFaultServer(.reply(both)) { server, port in
            // The second and all further forms are queued behind the first.
            try await withEndpoint("http://127.0.0.1:\(port)/", { $0.concurrency = 1 }) { endpoint in
                let form = try makeForm(fileBytes: fileBytes)
                await withTaskGroup { group in
                    for _ in 0..<4 { group.addTask { await endpoint.post(.form(form)) } }
                    for await exchange in group { #expect(exchange.reply?.status == 200, "\(exchange)") }
                }
            }
            #expect(server.received.map { $0.body.count == $0.announcedLength } == Array(repeating: true, count: 4))
        }
    }

    @Test(arguments: Self.unasked)
    func `what comes later, with no request under way, is not the next one's answer`(unasked: FaultReply) async throws {
        let (first, second, sent) = (Gate(), Gate(), Gate())
        let server = FaultServer { request, connection in
            switch (request, connection) {
            case (0, 0):
                // Its answer comes after the unasked one on the other connection, so that one was read before.
                .answerLater { _ in
                    await first.pass()
                    second.open()
                    await sent.pass()
                    return Self.good
                }
            case (1, 1):
                .replyThenMore(
                    Self.good,
                    more: {
                        await second.pass()
                        return unasked
                    },
                    sent: { sent.open() }
                )
            default: .reply(Self.good)
            }
        }
        try await server.listening { port in
            try await withEndpoint("http://127.0.0.1:\(port)/") { endpoint in
                let form = try makeForm()
                async let waiting = endpoint.post(.form(form))
                await first.arrival()
                #expect(await endpoint.post(.form(form)).reply?.status == 200)
                first.open()
                #expect(await waiting.reply?.status == 200)
                async let one = endpoint.post(.form(form))
                async let other = endpoint.post(.form(form))
                #expect(await [one.reply?.status, other.reply?.status] == [200, 200])
            }
            #expect(server.received.count { $0.connection == 1 } == 1)
        }
    }

    @Test(arguments: [Self.page, Self.good, Self.chunked, Self.interim], FaultScript.AfterEarlyReply.allCases)
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

    private static let tooLarge = [
        FaultReply.tooLarge, FaultReply("413 Payload Too Large"),
        FaultReply(raw: "HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\n\r\n<html>"),
    ]

    @Test(arguments: [Self.page, Self.chunked] + Self.tooLarge, FaultScript.AfterEarlyReply.allCases)
    func `an early refusal on a new connection is certain`(early: FaultReply, then: FaultScript.AfterEarlyReply)
        async throws
    {
        let reply = try await exchange(.earlyReply(early, then: then), fileBytes: Self.large).reply
        #expect(reply?.status == (Self.tooLarge.contains(early) ? 413 : 400))
        // A body that lasts until the connection ends may end with it.
        #expect(reply?.isComplete == true || early == Self.tooLarge[2])
        #expect(reply?.isOnReusedConnection == false)
    }

    /// Runs jobs on the event loop of connections, between two looks at their sockets.
    private final class LoopExecutor: TaskExecutor {
        private let loop: any EventLoop

        init(_ loop: any EventLoop) { self.loop = loop }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            self.loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test func `what lies in the socket before the first byte of a request is not its answer`() async throws {
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let isSent = DispatchSemaphore(value: 0)
        let more = FaultScript.replyThenMore(
            Self.good,
            more: {
                for await _ in asked { break }
                return Self.page
            },
            sent: { isSent.signal() }
        )
        var options = FaultServer.Options()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        options.group = group
        try await withFaultServer(more, .reply(Self.good), options: options) { server, port in
            try await withEndpoint("http://127.0.0.1:\(port)/") { endpoint in
                let form = try makeForm(fileBytes: 100)
                #expect(await endpoint.post(.form(form)).reply?.status == 200)
                // The loop reads nothing until the answer has come, and then begins the request first.
                endpoint.loop.execute { isSent.wait() }
                let next = Task(executorPreference: LoopExecutor(endpoint.loop)) {
                    await endpoint.post(.form(form)).reply?.status
                }
                ask.finish()
                #expect(await next.value == 200)
            }
            #expect(server.received.map(\.connection) == [0, 1])
        }
        try await group.shutdownGracefully()
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
        let coded = FaultReply("400 Bad Request", body: #"{"RETCODE":"E1"}"#)
        for (code, reply) in [("E1", refusal), ("E1", coded), ("http_400", Self.page)] {
            try await withFaultServer(.reply(reply)) { _, port in
                let named = try await withBackend(port: port) { backend in
                    let delivery = try await makeDelivery(with: backend)
                    var named: [Bool?] = []
                    for _ in 0..<2 {
                        let failure = try await backend.send(delivery).failure
                        #expect(failure?.code == code)
                        named.append(failure?.message.contains("delivery.reuse_connections"))
                    }
                    return named
                }
                // Only a code that a person has to look up may be another card's word.
                #expect(named == [false, code == "E1"])
            }
        }
    }
}
