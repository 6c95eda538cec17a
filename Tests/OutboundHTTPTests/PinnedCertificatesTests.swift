import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import NIOCore
import NIOPosix
import Testing

@testable import OutboundHTTP

/// Servers that must show one certificate and no other.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct PinnedCertificatesTests {
    private static let names = "DNS:localhost,IP:127.0.0.1"

    /// Expects that a server was refused for its certificate, before it has seen a request.
    private func expectRefusal(_ result: (exchange: HTTPExchange, received: Int)) {
        #expect(result.exchange.failure?.code == .tlsUntrusted)
        #expect(result.exchange.failure?.phase == .notSent)
        #expect(result.exchange.failure?.message.contains("is not one of the pinned ones") == true)
        #expect(result.exchange.failure?.message.contains("pin it beside the old one") == true)
        #expect(result.received == 0)
    }

    @Test(
        "A pinned certificate is accepted whoever has issued it and whatever host it names; no other of its authority is"
    )
    func ofAnAuthority() async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: "DNS:elsewhere.example")
            let sister = try await authority.issue("sister", names: Self.names)
            let settings = try TLSSettings(trust: .pinned([.file(sister.path), .file(server.path)]))
            #expect(try await postOverTLS(to: server, trusting: settings).exchange.reply?.status == 200)
            let other = try TLSSettings(trust: .pinned([.file(sister.path)]))
            self.expectRefusal(try await postOverTLS(to: server, trusting: other))
        }
    }

    @Test("A certificate of the same authority and name with another key is not the pinned one")
    func anotherKey() async throws {
        try await withAuthority { authority in
            let pinned = try await authority.issue("server", names: Self.names)
            var other = try await authority.issue("other", subject: "server", names: Self.names)
            let settings = try TLSSettings(trust: .pinned([.file(pinned.path)]))
            self.expectRefusal(try await postOverTLS(to: other, trusting: settings))
            // Sent along as if it had issued it, the pinned one changes nothing.
            other.certificate += pinned.certificate
            self.expectRefusal(try await postOverTLS(to: other, trusting: settings))
        }
    }

    @Test("A pinned authority is not a pin of what it issues")
    func authorityItself() async throws {
        try await withAuthority { authority in
            var server = try await authority.issue("server", names: Self.names)
            server.certificate += authority.root.certificate
            let settings = try TLSSettings(trust: .pinned([.file(authority.root.path)]))
            self.expectRefusal(try await postOverTLS(to: server, trusting: settings))
        }
    }

    @Test("A pinned certificate that has issued itself is accepted, another of the same name is not")
    func selfSigned() async throws {
        try await withAuthority { authority in
            let server = try await authority.selfSigned("pin", names: Self.names)
            let namesake = try await SpecimenAuthority("namesake")
            defer { namesake.remove() }
            let other = try await namesake.selfSigned("pin", names: Self.names)
            let settings = try TLSSettings(trust: .pinned([.bytes(Data(server.certificate.utf8))]))
            #expect(try await postOverTLS(to: server, trusting: settings).exchange.reply?.status == 200)
            self.expectRefusal(try await postOverTLS(to: other, trusting: settings))
        }
    }

    @Test("Further requests use the connection whose certificate was compared")
    func keptConnection() async throws {
        try await withAuthority { authority in
            let server = try await authority.selfSigned("pin", names: Self.names)
            var options = FaultServer.Options()
            options.tls = FaultTLS(certificates: server.certificate, privateKey: server.key)
            var configuration = OutboundHTTPClient.Configuration.patient
            configuration.tls = try TLSSettings(trust: .pinned([.file(server.path)]))
            try await withFaultServer(.reply(FaultReply()), options: options) { server, port in
                let endpoint = try RemoteEndpoint("https://localhost:\(port)/")
                let form = try makeForm()
                try await withClient(configuration) { client in
                    for _ in 0..<3 {
                        let reply = await client.post(form, to: endpoint, deadline: .seconds(20)).reply
                        #expect(reply?.status == 200)
                    }
                }
                #expect(server.received.map(\.connection) == [0, 0, 0])
            }
        }
    }

    @Test("With pins nothing goes over plain http, to this machine or another", arguments: [true, false])
    func plainText(isLoopback: Bool) async throws {
        try await withAuthority { authority in
            let server = try await authority.selfSigned("pin", names: Self.names)
            var configuration = OutboundHTTPClient.Configuration()
            configuration.tls = try TLSSettings(trust: .pinned([.file(server.path)]))
            try await withFaultServer(.reply(FaultReply())) { server, port in
                let endpoint = try RemoteEndpoint("http://\(isLoopback ? "localhost" : "service.invalid"):\(port)/")
                try await withClient(configuration) { client in
                    let error = try #require(throws: OutboundHTTPError.self) { try client.check(endpoint) }
                    #expect(error.code == .tlsRequired)
                    #expect(error.message.contains("use https, or remove the pins"))
                    let failure = await client.post(try makeForm(), to: endpoint, deadline: .seconds(20)).failure
                    #expect(failure?.code == .tlsRequired)
                    #expect(failure?.phase == .notSent)
                    #expect(failure?.message.contains("use https, or remove the pins") == true)
                    #expect(failure?.remoteFailure(afterSend: .unknown).failureClass == .stop)
                }
                #expect(server.connections == 0)
            }
        }
    }

    @Test("A connection without TLS shows no certificate, so it is refused and closed")
    func connectionWithoutTLS() async throws {
        try await withAuthority { authority in
            let server = try await authority.selfSigned("pin", names: Self.names)
            let settings = try TLSSettings(trust: .pinned([.file(server.path)]))
            let pins = try #require(settings.pins)
            try await withFaultServer(.silence) { _, port in
                let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                    .connect(host: "127.0.0.1", port: port).get()
                await #expect(throws: PinnedCertificates.Refusal.notPinned) {
                    try await channel.eventLoop.flatSubmit { pins.check(channel) }.get()
                }
                #expect(!channel.isActive)
            }
        }
    }

    @Test(
        "Through a proxy's tunnel the server's certificate is compared, not the proxy's word",
        arguments: [true, false]
    )
    func throughProxy(isPinned: Bool) async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: "DNS:service.example")
            let other = try await authority.issue("other", subject: "server", names: "DNS:service.example")
            var options = FaultServer.Options()
            options.tls = FaultTLS(certificates: server.certificate, privateKey: server.key)
            try await withFaultServer(.reply(FaultReply()), options: options) { fault, port in
                let proxy = ConnectProxy(ports: ["service.example:443": port])
                var configuration = OutboundHTTPClient.Configuration()
                configuration.proxy = try ProxySettings(host: "127.0.0.1", port: try await proxy.start())
                configuration.tls = try TLSSettings(trust: .pinned([.file(isPinned ? server.path : other.path)]))
                let endpoint = try RemoteEndpoint("https://service.example/upload")
                let exchange = try await withClient(configuration) {
                    await $0.post(try makeForm(), to: endpoint, deadline: .seconds(20))
                }
                await proxy.stop()
                #expect(proxy.targets == ["service.example:443"])
                guard isPinned else { return self.expectRefusal((exchange, fault.received.count)) }
                #expect(exchange.reply?.status == 200)
                #expect(fault.received.count == 1)
            }
        }
    }

    @Test("A pin that has expired is refused when it is read, and one that expired since when it is shown")
    func expired() async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("old", names: Self.names, years: 2020...2021)
            let error = #expect(throws: OutboundHTTPError.self) {
                try TLSSettings(trust: .pinned([.file(server.path)]))
            }
            #expect(error?.code == .tlsCertificateExpired)
            let then = Timestamp(millisecondsSinceEpoch: 1_600_000_000_000)
            let settings = try TLSSettings(trust: .pinned([.file(server.path)]), now: then)
            let refused = try await postOverTLS(to: server, trusting: settings)
            #expect(refused.exchange.failure?.code == .tlsExpired)
            #expect(refused.exchange.failure?.phase == .notSent)
            #expect(refused.exchange.failure?.message.contains("has expired on 2021-12-31") == true)
            #expect(refused.received == 0)
        }
    }

    @Test("A certificate that is not pinned is not said to have expired, nor is its issuer", arguments: [true, false])
    func expiredAndNotPinned(isOwn: Bool) async throws {
        try await withAuthority { authority in
            let expired = try await authority.issue("old", names: Self.names, years: 2020...2021)
            let pin = try await authority.issue("pin", names: Self.names)
            var server = isOwn ? expired : try await authority.issue("server", names: Self.names)
            if !isOwn { server.certificate += expired.certificate }
            let settings = try TLSSettings(trust: .pinned([.file(pin.path)]))
            self.expectRefusal(try await postOverTLS(to: server, trusting: settings))
        }
    }

    @Test("A pinned certificate is not valid before its time")
    func notYetValid() async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("new", names: Self.names, years: 2080...2090)
            let settings = try TLSSettings(trust: .pinned([.file(server.path)]))
            let refused = try await postOverTLS(to: server, trusting: settings)
            #expect(refused.exchange.failure?.code == .tlsExpired)
            #expect(refused.exchange.failure?.message.contains("is not valid before 2080-01-01") == true)
            #expect(refused.received == 0)
        }
    }
}
