import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import Testing

@testable import OutboundHTTP

/// Whom a TLS connection believes, and how each refusal is named.
@Suite(.timeLimit(.minutes(1)))
struct TLSTests {
    private static let names = "DNS:localhost,IP:127.0.0.1"

    /// Posts a form to a TLS server.
    private func post(
        to server: SpecimenCertificate,
        trusting settings: TLSSettings,
        host: String = "localhost",
        clientAuthority: String? = nil,
        isLimitedToTLS12: Bool = false,
        fileBytes: Int = 3000
    ) async throws -> (exchange: HTTPExchange, received: Int) {
        var options = FaultServer.Options()
        options.tls = FaultTLS(
            certificates: server.certificate,
            privateKey: server.key,
            clientAuthority: clientAuthority,
            isLimitedToTLS12: isLimitedToTLS12
        )
        var configuration = OutboundHTTPClient.Configuration()
        configuration.tls = settings
        var exchange = HTTPExchange.cancelled(.notSent)
        var received = 0
        try await withFaultServer(.reply(FaultReply(body: "{}")), options: options) { server, port in
            let endpoint = try RemoteEndpoint("https://\(host):\(port)/")
            let form = try makeForm(fileBytes: fileBytes)
            exchange = try await withClient(configuration) {
                await $0.post(form, to: endpoint, deadline: .seconds(20))
            }
            received = server.received.count
        }
        return (exchange, received)
    }

    @Test("A server of our own authority is accepted, by name and by address", arguments: ["localhost", "127.0.0.1"])
    func ownAuthority(host: String) async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: Self.names)
            let settings = try TLSSettings(trust: .certificates([.file(authority.root.path)]))
            let result = try await self.post(to: server, trusting: settings, host: host)
            #expect(result.exchange.reply?.status == 200)
            #expect(result.received == 1)
        }
    }

    @Test("A server's own certificate is accepted as the only root", arguments: ["localhost", "127.0.0.1"])
    func pinned(host: String) async throws {
        try await withAuthority { authority in
            let server = try await authority.selfSigned("pin", names: Self.names)
            let settings = try TLSSettings(trust: .certificates([.bytes(Data(server.certificate.utf8))]))
            let result = try await self.post(to: server, trusting: settings, host: host)
            #expect(result.exchange.reply?.status == 200)
        }
    }

    @Test(
        "A pinned certificate is accepted whoever has issued it and whatever host it names; no other of the same authority is"
    )
    func pinnedOfAnAuthority() async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: "DNS:elsewhere.example")
            let sister = try await authority.issue("sister", names: Self.names)
            let settings = try TLSSettings(trust: .pinned([.file(sister.path), .file(server.path)]))
            let result = try await self.post(to: server, trusting: settings)
            #expect(result.exchange.reply?.status == 200)
            let other = try TLSSettings(trust: .pinned([.file(sister.path)]))
            let refused = try await self.post(to: server, trusting: other)
            #expect(refused.exchange.failure?.code == .tlsUntrusted)
            #expect(refused.exchange.failure?.phase == .notSent)
            #expect(refused.received == 0)
        }
    }

    @Test("A pinned certificate that has issued itself is accepted, another of the same name is not")
    func pinnedSelfSigned() async throws {
        try await withAuthority { authority in
            let server = try await authority.selfSigned("pin", names: Self.names)
            let namesake = try await SpecimenAuthority("namesake")
            defer { namesake.remove() }
            let other = try await namesake.selfSigned("pin", names: Self.names)
            let settings = try TLSSettings(trust: .pinned([.bytes(Data(server.certificate.utf8))]))
            #expect(try await self.post(to: server, trusting: settings).exchange.reply?.status == 200)
            let refused = try await self.post(to: other, trusting: settings)
            #expect(refused.exchange.failure?.code == .tlsUntrusted)
            #expect(refused.received == 0)
        }
    }

    @Test("With pins nothing goes over plain http")
    func pinsNeedTLS() async throws {
        try await withAuthority { authority in
            let server = try await authority.selfSigned("pin", names: Self.names)
            var configuration = OutboundHTTPClient.Configuration()
            configuration.tls = try TLSSettings(trust: .pinned([.file(server.path)]))
            try await withFaultServer(.reply(FaultReply(body: "{}"))) { server, port in
                let endpoint = try RemoteEndpoint("http://localhost:\(port)/")
                let exchange = try await withClient(configuration) {
                    await $0.post(try makeForm(fileBytes: 100), to: endpoint, deadline: .seconds(20))
                }
                #expect(exchange.failure?.code == .tlsRequired)
                #expect(exchange.failure?.remoteFailure(afterSend: .unknown).failureClass == .stop)
                #expect(server.connections == 0)
            }
        }
    }

    @Test("A pin that has expired is refused when it is read, and one that expired since when it is shown")
    func expiredPin() async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("old", names: Self.names, years: 2020...2021)
            let error = #expect(throws: OutboundHTTPError.self) {
                try TLSSettings(trust: .pinned([.file(server.path)]))
            }
            #expect(error?.code == .tlsCertificateExpired)
            let then = Timestamp(millisecondsSinceEpoch: 1_600_000_000_000)
            let settings = try TLSSettings(trust: .pinned([.file(server.path)]), now: then)
            let refused = try await self.post(to: server, trusting: settings)
            #expect(refused.exchange.failure?.code == .tlsExpired)
            #expect(refused.received == 0)
        }
    }

    @Test("Of two pinned certificates either may be shown, in two files or in one", arguments: [true, false])
    func rotation(inOneFile: Bool) async throws {
        try await withAuthority { authority in
            let old = try await authority.selfSigned("old", names: Self.names)
            let new = try await authority.selfSigned("new", names: Self.names)
            let both = try authority.write(old.certificate + new.certificate, to: "both.pem")
            let sources: [PEMSource] = inOneFile ? [.file(both)] : [.file(old.path), .file(new.path)]
            let settings = try TLSSettings(trust: .certificates(sources))
            for server in [old, new] {
                #expect(try await self.post(to: server, trusting: settings).exchange.reply?.status == 200)
            }
        }
    }

    @Test("A trusted certificate of another host is refused", arguments: ["localhost", "127.0.0.1"])
    func wrongHost(host: String) async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: "DNS:other.example,IP:192.0.2.1")
            let settings = try TLSSettings(trust: .certificates([.file(authority.root.path)]))
            let result = try await self.post(to: server, trusting: settings, host: host)
            #expect(result.exchange.failure?.code == .tlsWrongHost)
            #expect(result.exchange.failure?.phase == .notSent)
            #expect(result.exchange.failure?.message.contains("made out to another host") == true)
            #expect(result.received == 0)
        }
    }

    @Test("A certificate of another authority is refused, also by the system's roots", arguments: [true, false])
    func anotherAuthority(bySystemRoots: Bool) async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: Self.names)
            let other = try await SpecimenAuthority("other CA")
            defer { other.remove() }
            let trust: TLSSettings.Trust = bySystemRoots ? .systemRoots : .certificates([.file(other.root.path)])
            let result = try await self.post(to: server, trusting: TLSSettings(trust: trust))
            #expect(result.exchange.failure?.code == .tlsUntrusted)
            #expect(result.exchange.failure?.phase == .notSent)
            #expect(result.exchange.failure?.message.contains("is neither trusted here nor issued by") == true)
            #expect(result.received == 0)
        }
    }

    @Test("Another certificate of the same name is not the pinned one")
    func anotherPin() async throws {
        try await withAuthority { authority in
            let pinned = try await authority.selfSigned("same", names: Self.names)
            let shown = try await authority.selfSigned("same", names: Self.names)
            let settings = try TLSSettings(trust: .certificates([.bytes(Data(pinned.certificate.utf8))]))
            let result = try await self.post(to: shown, trusting: settings)
            #expect(result.exchange.failure?.code == .tlsUntrusted)
            #expect(result.received == 0)
        }
    }

    @Test(
        "A certificate out of its time is refused, and the message says since or until when",
        arguments: [(2020...2021, "has expired on 2021-12-31"), (2080...2090, "is not valid before 2080-01-01")]
    )
    func outOfTime(years: ClosedRange<Int>, text: String) async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: Self.names, years: years)
            let settings = try TLSSettings(trust: .certificates([.file(authority.root.path)]))
            let result = try await self.post(to: server, trusting: settings)
            #expect(result.exchange.failure?.code == .tlsExpired)
            #expect(result.exchange.failure?.phase == .notSent)
            #expect(result.exchange.failure?.message.contains(text) == true)
            #expect(result.received == 0)
        }
    }

    @Test("A server that demands a client certificate gets ours", arguments: [true, false])
    func clientCertificate(isLimitedToTLS12: Bool) async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: Self.names)
            let client = try await authority.issue("client", names: "DNS:client.example")
            let settings = try TLSSettings(
                trust: .certificates([.file(authority.root.path)]),
                clientIdentity: .init(certificates: .file(client.path), privateKey: .file(client.keyPath))
            )
            let result = try await self.post(
                to: server,
                trusting: settings,
                clientAuthority: authority.root.certificate,
                isLimitedToTLS12: isLimitedToTLS12
            )
            #expect(result.exchange.reply?.status == 200)
        }
    }

    @Test("A missing client certificate is named, before the sending or after it", arguments: [true, false])
    func missingClientCertificate(isLimitedToTLS12: Bool) async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: Self.names)
            let settings = try TLSSettings(trust: .certificates([.file(authority.root.path)]))
            let result = try await self.post(
                to: server,
                trusting: settings,
                clientAuthority: authority.root.certificate,
                isLimitedToTLS12: isLimitedToTLS12
            )
            let failure = try #require(result.exchange.failure)
            #expect(failure.code == .tlsClientCertificate)
            #expect(failure.phase == (isLimitedToTLS12 ? .notSent : .afterSend))
            #expect(failure.message.contains("demands a client certificate and none is configured"))
            #expect(failure.message.contains("had been handed over") == !isLimitedToTLS12)
            #expect(result.received == 0)
        }
    }

    @Test("The word of the server is heard although it closes while a large body is being sent, if the kernel lets it")
    func missingClientCertificateWithLargeBody() async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: Self.names)
            let settings = try TLSSettings(trust: .certificates([.file(authority.root.path)]))
            var heard = 0
            for _ in 0..<25 {
                let result = try await self.post(
                    to: server,
                    trusting: settings,
                    clientAuthority: authority.root.certificate,
                    fileBytes: 4 << 20
                )
                let failure = try #require(result.exchange.failure)
                heard += failure.code == .tlsClientCertificate ? 1 : 0
                // The reset that answers our further bytes may overtake the alert on a busy machine; what is known of
                // the sending is the same.
                let codes: [HTTPFailure.Code] = [.tlsClientCertificate, .connectionClosed, .connectionReset]
                #expect(codes.contains(failure.code))
                #expect(failure.phase == .afterSend)
            }
            #expect(heard > 12)
        }
    }

    @Test("A client certificate of an unknown authority is named")
    func refusedClientCertificate() async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: Self.names)
            let other = try await SpecimenAuthority("other CA")
            defer { other.remove() }
            let client = try await other.issue("client", names: "DNS:client.example")
            let settings = try TLSSettings(
                trust: .certificates([.file(authority.root.path)]),
                clientIdentity: .init(certificates: .file(client.path), privateKey: .file(client.keyPath))
            )
            let result = try await self.post(
                to: server,
                trusting: settings,
                clientAuthority: authority.root.certificate
            )
            #expect(result.exchange.failure?.code == .tlsClientCertificate)
            #expect(result.exchange.failure?.message.contains("refuses our client certificate") == true)
            #expect(result.received == 0)
        }
    }

    @Test(
        "A server that speaks plain text is named so",
        arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "220 ESMTP\r\n"]
    )
    func plainText(greeting: String) async throws {
        var options = FaultServer.Options()
        options.greeting = greeting
        try await withFaultServer(.silence, options: options) { server, port in
            let endpoint = try RemoteEndpoint("https://127.0.0.1:\(port)/")
            let form = try makeForm()
            let failure = try await withClient { await $0.post(form, to: endpoint, deadline: .seconds(20)).failure }
            #expect(failure?.code == .tlsProtocol)
            #expect(failure?.phase == .notSent)
            #expect(failure?.message.contains("does not speak TLS on this port") == true)
            #expect(server.received.isEmpty)
        }
    }

    @Test("A handshake that is not answered ends with the connect timeout")
    func silentHandshake() async throws {
        var configuration = OutboundHTTPClient.Configuration()
        configuration.connectTimeout = .milliseconds(500)
        try await withFaultServer(.silence) { _, port in
            let endpoint = try RemoteEndpoint("https://127.0.0.1:\(port)/")
            let form = try makeForm()
            let failure = try await withClient(configuration) {
                await $0.post(form, to: endpoint, deadline: .seconds(20)).failure
            }
            #expect(failure?.code == .connectTimeout)
            #expect(failure?.phase == .notSent)
            #expect(failure?.message.contains("TLS handshake") == true)
        }
    }

    @Test("Without verification a server of this machine is believed", arguments: ["localhost", "127.0.0.1"])
    func insecure(host: String) async throws {
        try await withAuthority { authority in
            let server = try await authority.selfSigned("server", names: "DNS:other.example")
            let settings = try TLSSettings(trust: .systemRoots, insecure: true)
            let result = try await self.post(to: server, trusting: settings, host: host)
            #expect(result.exchange.reply?.status == 200)
        }
    }
}
