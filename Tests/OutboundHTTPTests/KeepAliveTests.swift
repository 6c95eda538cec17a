import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import Testing

@testable import OutboundHTTP

/// The race between a client that uses a kept connection and a server that closes it.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct KeepAliveTests {
    private func exchanges(_ count: Int, life: ConnectionLife, fileBytes: Int = 3000) async throws
        -> (exchanges: [HTTPExchange], server: FaultServer)
    {
        var options = FaultServer.Options()
        options.connectionLife = life
        let server = FaultServer([.reply(FaultReply())], options: options)
        let port = try await server.start()
        let form = try makeForm(fileBytes: fileBytes)
        let exchanges = try await withClient(.patient) { client in
            var exchanges: [HTTPExchange] = []
            for _ in 0..<count { exchanges.append(try await post(form, port: port, with: client)) }
            return exchanges
        }
        await server.stop()
        return (exchanges, server)
    }

    @Test(
        "A kept connection that ends when it is used again is stale, and the next request opens a fresh one",
        arguments: [FaultScript.Ending.close, .reset],
        [3000, 2_000_000]
    )
    func stale(ending: FaultScript.Ending, fileBytes: Int) async throws {
        let life = ConnectionLife.endsAtNextRequest(afterReplies: 1, by: ending)
        let (exchanges, server) = try await self.exchanges(3, life: life, fileBytes: fileBytes)
        #expect(exchanges.map { $0.reply?.status } == [200, nil, 200])
        let failure = try #require(exchanges[1].failure)
        #expect(failure.code == .connectionStale)
        #expect(failure.isStaleConnection)
        #expect(failure.phase == .afterSend)
        #expect(failure.message.contains("tried on a fresh one"))
        let remote = failure.remoteFailure(afterSend: .unknown)
        #expect(remote.failureClass == .unknown)
        #expect(remote.retriesAtOnce)
        #expect(server.connections == 2)
        #expect(server.requests == 3)
    }

    @Test("A fresh connection that breaks is not stale", arguments: [FaultScript.Ending.close, .reset])
    func fresh(ending: FaultScript.Ending) async throws {
        let (exchanges, _) = try await self.exchanges(1, life: .endsAtNextRequest(afterReplies: 0, by: ending))
        let failure = try #require(exchanges[0].failure)
        #expect(failure.code == .connectionReset || failure.code == .connectionClosed)
        #expect(!failure.remoteFailure(afterSend: .unknown).retriesAtOnce)
    }

    @Test("A kept connection that breaks within a reply is not stale")
    func withinReply() async throws {
        let broken = FaultScript.replyAndClose(FaultReply(raw: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"))
        try await withFaultServer(.reply(FaultReply()), broken) { _, port in
            let failure = try await withClient(.patient) { client in
                _ = try await post(makeForm(), port: port, with: client)
                return try await post(makeForm(), port: port, with: client).failure
            }
            #expect(failure?.code == .connectionClosed)
        }
    }

    @Test("Silence on a kept connection is not stale")
    func silence() async throws {
        try await withFaultServer(.reply(FaultReply()), .silence) { _, port in
            let failure = try await withClient(.patient) { client in
                _ = try await post(makeForm(), port: port, with: client)
                return try await post(makeForm(), port: port, with: client, deadline: .milliseconds(500)).failure
            }
            #expect(failure?.code == .deadlineExceeded)
        }
    }

    @Test("After a stale connection no other kept one is used: all of them closed at the same moment")
    func staleMany() async throws {
        var options = FaultServer.Options()
        options.connectionLife = .endsAtNextRequest(afterReplies: 1)
        let gate = ConcurrencyGate(limit: 8, holdingMilliseconds: 2000)
        try await withFaultServer(.throttled(gate, { _ in FaultReply() }), options: options) { server, port in
            let form = try makeForm()
            let exchanges = try await withClient(.patient) { client in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<8 { group.addTask { _ = try await post(form, port: port, with: client) } }
                    try await group.waitForAll()
                }
                let first = try await post(form, port: port, with: client)
                return [first, try await post(form, port: port, with: client)]
            }
            #expect(server.connections == 9)
            #expect(exchanges[0].failure?.code == .connectionStale)
            #expect(exchanges[1].reply?.status == 200)
        }
    }

    @Test("A connection the server closes while idle is not used again, in 25 runs out of 25")
    func closedWhileIdle() async throws {
        for _ in 0..<25 {
            var options = FaultServer.Options()
            options.connectionLife = .closesIdle(afterReplies: 1)
            try await withFaultServer(.reply(FaultReply()), options: options) { server, port in
                let exchanges = try await withClient(.patient) { client in
                    let first = try await post(makeForm(), port: port, with: client)
                    return [first, try await post(makeForm(), port: port, with: client)]
                }
                #expect(exchanges[0].reply?.status == 200)
                // The closing may cross the second request on the way: then this is said, and nothing else.
                guard let failure = exchanges[1].failure else { return #expect(exchanges[1].reply?.status == 200) }
                #expect(failure.code == .connectionStale || failure.phase == .notSent, "\(failure)")
                #expect(server.received.allSatisfy { $0.connection == 0 || $0.isComplete })
            }
        }
    }

    @Test("Unused connections are closed by us before common servers do")
    func idleTimeout() async throws {
        #expect(OutboundHTTPClient.Configuration().poolIdleTimeout == .seconds(4))
        var configuration = OutboundHTTPClient.Configuration()
        configuration.poolIdleTimeout = .milliseconds(50)
        let (endings, connectionEnded) = AsyncStream.makeStream(of: Int.self)
        var options = FaultServer.Options()
        options.connectionEnded = { connectionEnded.yield($0) }
        try await withFaultServer(.reply(FaultReply()), options: options) { server, port in
            let statuses = try await withClient(configuration) { client in
                let first = try await post(makeForm(), port: port, with: client).reply?.status
                for await connection in endings where connection == 0 { break }
                return [first, try await post(makeForm(), port: port, with: client).reply?.status]
            }
            #expect(statuses == [200, 200])
            #expect(server.connections == 2)
        }
    }
}
