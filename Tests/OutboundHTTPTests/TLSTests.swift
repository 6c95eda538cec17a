import Foundation
import IDCardCore
import IDCardTesting
import MultipartForm
import Testing

@testable import OutboundHTTP

/// Whom a TLS connection believes, and how each refusal is named.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(3))))
struct TLSTests {
    private static let names = "DNS:localhost,IP:127.0.0.1"

    @Test("A server of our own authority is accepted, by name and by address", arguments: ["localhost", "127.0.0.1"])
    func ownAuthority(host: String) async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: Self.names)
            let settings = try TLSSettings(trust: .certificates([.file(authority.root.path)]))
            let result = try await postOverTLS(to: server, trusting: settings, host: host)
            #expect(result.exchange.reply?.status == 200)
            #expect(result.received == 1)
        }
    }

    @Test("A server's own certificate is accepted as the only root", arguments: ["localhost", "127.0.0.1"])
    func pinned(host: String) async throws {
        try await withAuthority { authority in
            let server = try await authority.selfSigned("pin", names: Self.names)
            let settings = try TLSSettings(trust: .certificates([.bytes(Data(server.certificate.utf8))]))
            let result = try await postOverTLS(to: server, trusting: settings, host: host)
            #expect(result.exchange.reply?.status == 200)
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
                #expect(try await postOverTLS(to: server, trusting: settings).exchange.reply?.status == 200)
            }
        }
    }

    @Test("A trusted certificate of another host is refused", arguments: ["localhost", "127.0.0.1"])
    func wrongHost(host: String) async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: "DNS:other.example,IP:192.0.2.1")
            let settings = try TLSSettings(trust: .certificates([.file(authority.root.path)]))
            let result = try await postOverTLS(to: server, trusting: settings, host: host)
            #expect(result.exchange.failure?.code == .tlsWrongHost)
            #expect(result.exchange.failure?.phase == .notSent)
            #expect(result.exchange.failure?.message.contains("made out to another host") == true)
            #expect(result.received == 0)
        }
    }

    @Test("A certificate of the address that a name leads to is not one of the name")
    func addressForName() async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: "DNS:other.example,IP:127.0.0.1,IP:::1")
            let settings = try TLSSettings(trust: .certificates([.file(authority.root.path)]))
            let result = try await postOverTLS(to: server, trusting: settings, host: "localhost")
            #expect(result.exchange.failure?.code == .tlsWrongHost)
            #expect(result.exchange.failure?.phase == .notSent)
            #expect(result.received == 0)
            #expect(try await postOverTLS(to: server, trusting: settings, host: "127.0.0.1").received == 1)
        }
    }

    @Test("A certificate of another authority is refused, also by the system's roots", arguments: [true, false])
    func anotherAuthority(bySystemRoots: Bool) async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: Self.names)
            let other = try await SpecimenAuthority("other CA")
            defer { other.remove() }
            let trust: TLSSettings.Trust = bySystemRoots ? .systemRoots : .certificates([.file(other.root.path)])
            let result = try await postOverTLS(to: server, trusting: TLSSettings(trust: trust))
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
            let result = try await postOverTLS(to: shown, trusting: settings)
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
            let result = try await postOverTLS(to: server, trusting: settings)
            #expect(result.exchange.failure?.code == .tlsExpired)
            #expect(result.exchange.failure?.phase == .notSent)
            #expect(result.exchange.failure?.message.contains(text) == true)
            #expect(result.received == 0)
        }
    }

    @Test("A certificate that would not be trusted in its time either is untrusted, not expired")
    func outOfTimeAndUntrusted() async throws {
        try await withAuthority { authority in
            let other = try await SpecimenAuthority("other CA")
            defer { other.remove() }
            let settings = try TLSSettings(trust: .certificates([.file(other.root.path)]))
            let expired = try await authority.issue("old", names: Self.names, years: 2020...2021)
            var valid = try await authority.issue("server", names: Self.names)
            valid.certificate += expired.certificate
            for server in [expired, valid] {
                let result = try await postOverTLS(to: server, trusting: settings)
                #expect(result.exchange.failure?.code == .tlsUntrusted)
                #expect(result.received == 0)
            }
            // Whom the system trusts is not known: then the server's own certificate says it, and no other.
            let bySystem = try await postOverTLS(to: expired, trusting: TLSSettings())
            #expect(bySystem.exchange.failure?.code == .tlsExpired)
            let validBySystem = try await postOverTLS(to: valid, trusting: TLSSettings())
            #expect(validBySystem.exchange.failure?.code == .tlsUntrusted)
        }
    }

    @Test(
        "An issuer out of its time is named as such, a certificate that only lies beside it is not",
        arguments: [true, false]
    )
    func issuerOutOfTime(isExpired: Bool) async throws {
        try await withAuthority { authority in
            let years = isExpired ? 2020...2021 : 2020...2090
            let issuer = try await authority.issue("issuer", names: "DNS:issuer.example", years: years, isIssuer: true)
            let beside = try await authority.issue("beside", names: "DNS:beside.example", years: 2020...2022)
            var server = try await authority.issue("server", names: Self.names, by: issuer)
            server.certificate += beside.certificate + issuer.certificate
            let settings = try TLSSettings(trust: .certificates([.file(authority.root.path)]))
            let result = try await postOverTLS(to: server, trusting: settings)
            guard isExpired else { return #expect(result.exchange.reply?.status == 200) }
            #expect(result.exchange.failure?.code == .tlsExpired)
            #expect(result.exchange.failure?.message.contains("is issued by") == true)
            #expect(result.exchange.failure?.message.contains("has expired on 2021-12-31") == true)
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
            let result = try await postOverTLS(
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
            let result = try await postOverTLS(
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
            // Credentials that are refused are refused next time, too; a server that refuses them has read no request.
            #expect(failure.remoteFailure(afterSend: .unknown).failureClass == .stop)
            #expect(result.received == 0)
        }
    }

    @Test("The word of the server is heard although it closes while a large body is being sent, if the kernel lets it")
    func missingClientCertificateWithLargeBody() async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: Self.names)
            let settings = try TLSSettings(trust: .certificates([.file(authority.root.path)]))
            var heard = 0
            for _ in 0..<12 {
                let result = try await postOverTLS(
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
            #expect(heard > 3)
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
            let result = try await postOverTLS(
                to: server,
                trusting: settings,
                clientAuthority: authority.root.certificate
            )
            #expect(result.exchange.failure?.code == .tlsClientCertificate)
            #expect(result.exchange.failure?.message.contains("refuses our client certificate") == true)
            #expect(result.exchange.failure?.remoteFailure(afterSend: .unknown).failureClass == .stop)
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
            let result = try await postOverTLS(to: server, trusting: settings, host: host)
            #expect(result.exchange.reply?.status == 200)
        }
    }
}
