import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import OutboundHTTP

/// Which connections are in use, and that none of them is closed as unused.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct ConnectionRegisterTests {
    /// Opens a connection as a client has it, and writes a head to it.
    private func open(_ port: Int, watchedBy register: ConnectionRegister) async throws -> ConnectionFacts {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup.next())
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(HTTPRequestEncoder())
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        try await channel.eventLoop.flatSubmit { register.watch(channel) }.get()
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")
        try await channel.writeAndFlush(HTTPClientRequestPart.head(head))
        return try #require(register.latest)
    }

    @Test("A connection that has been given to the next request is busy when the last one ends after that")
    func overlap() async throws {
        try await withFaultServer(.silence) { _, port in
            let facts = try await self.open(port, watchedBy: ConnectionRegister())
            #expect(!facts.isBusy)
            #expect(facts.begin().requests == 0)
            #expect(facts.isBusy)
            #expect(facts.begin().requests == 1)
            facts.end()
            #expect(facts.isBusy)
            facts.end()
            #expect(!facts.isBusy)
            #expect(facts.counts.requests == 2)
            try await facts.channel.close()
        }
    }

    @Test("Of the other connections to the address of a stale one those are closed that have served and do not now")
    func closeUnused() async throws {
        try await withFaultServer(.silence) { _, port in
            let register = ConnectionRegister()
            let stale = try await self.open(port, watchedBy: register)
            let fresh = try await self.open(port, watchedBy: register)
            let used = try await self.open(port, watchedBy: register)
            _ = used.begin()
            used.end()
            let handedOn = try await self.open(port, watchedBy: register)
            _ = handedOn.begin()
            _ = handedOn.begin()
            handedOn.end()
            try await stale.channel.close()
            await register.closeUnused(like: stale)
            #expect(!used.channel.isActive)
            #expect(fresh.channel.isActive)
            #expect(handedOn.channel.isActive)
            handedOn.end()
            await register.closeUnused(like: stale)
            #expect(!handedOn.channel.isActive)
            #expect(fresh.channel.isActive)
            try await fresh.channel.close()
        }
    }

    @Test("A request that waited for another connection to open takes over one that is done, which stays busy")
    func takeover() async throws {
        let server = TakeoverServer()
        let port = try await server.start()
        var configuration = OutboundHTTPClient.Configuration.patient
        configuration.maximumConnectionsPerHost = 2
        // A proxy that answers the second CONNECT with silence: that connection never opens.
        configuration.proxy = try ProxySettings(host: "127.0.0.1", port: port)
        let endpoint = try RemoteEndpoint("http://service.example/")
        let content = MultipartForm.Content.bytes(Data(TakeoverServer.body.utf8))
        try await withClient(configuration) { client in
            async let first = client.upload(content, to: endpoint, deadline: .seconds(20))
            // Only when the first has its connection, or it would be the one without.
            await server.event(.request(0))
            async let second = client.upload(content, to: endpoint, deadline: .seconds(20))
            await server.event(.request(1))
            #expect(await first.reply?.status == 200)
            // On the loop: what the end of the first request does there is done by then.
            let facts = try #require(client.register.latest)
            let counts = try await client.loop.submit { facts.counts }.get()
            #expect(counts.requests == 2)
            #expect(counts.underWay == 1)
            #expect(facts.isBusy)
            await server.answer()
            #expect(await second.reply?.status == 200)
            #expect(try await client.loop.submit { facts.isBusy }.get() == false)
        }
        await server.stop()
    }
}
