import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardRemote

/// Whom a TLS connection believes, and how each refusal is named.
@Suite(.timeLimit(.minutes(5))) struct TLSTests {
    private static let names = "DNS:localhost,IP:127.0.0.1"

    /// Posts a form to a server that shows a certificate, and says how it ended and how many requests the server has seen.
    private func post(
        to server: TestCertificate,
        trusting caFile: String? = nil,
        as client: TestCertificate? = nil,
        host: String = "localhost",
        clientAuthority: String? = nil,
        isLimitedToTLS12: Bool = false
    ) async throws -> (exchange: HTTPExchange, received: Int) {
        var options = FaultServer.Options()
        var tls = FaultTLS(server)
        tls.clientAuthority = clientAuthority
        tls.isLimitedToTLS12 = isLimitedToTLS12
        options.tls = tls
        return try await withFaultServer(.reply(FaultReply(body: "{}")), options: options) { server, port in
            let exchange = try await withEndpoint(
                "https://\(host):\(port)/",
                { settings in
                    settings.tls.caFile = caFile
                    settings.tls.clientCertificate = client?.path
                    settings.tls.clientKey = client?.keyPath
                },
                run: { await $0.post(.form(try makeForm())) }
            )
            return (exchange, server.received.count)
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `our authority's server, or its own certificate, is accepted by name and address`(host: String) async throws {
        try await withAuthority { authority in
            let issued = try await authority.issue("server", names: Self.names)
            let own = try await authority.selfSigned("own", names: Self.names)
            for (server, caFile) in [(issued, authority.root.path), (own, own.path)] {
                let result = try await self.post(to: server, trusting: caFile, host: host)
                #expect(result.exchange.reply?.status == 200)
                #expect(result.received == 1)
            }
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `A trusted certificate of another host is refused`(host: String) async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: "DNS:other.example,IP:192.0.2.1")
            let result = try await self.post(to: server, trusting: authority.root.path, host: host)
            #expect(result.exchange.failure?.kind == "notSent tlsWrongHost")
            #expect(result.received == 0)
        }
    }

    @Test func `A certificate of the address that a name leads to is not one of the name`() async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: "DNS:other.example,IP:127.0.0.1,IP:::1")
            let result = try await self.post(to: server, trusting: authority.root.path, host: "localhost")
            #expect(result.exchange.failure?.kind == "notSent tlsWrongHost")
            #expect(result.received == 0)
            #expect(try await self.post(to: server, trusting: authority.root.path, host: "127.0.0.1").received == 1)
        }
    }

    @Test func `A certificate of another authority, or out of its time, is not trusted`() async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: Self.names)
            let expired = try await authority.issue("expired", names: Self.names, years: 2020...2021)
            let early = try await authority.issue("early", names: Self.names, years: 2080...2090)
            let other = try await TestAuthority("other")
            defer { other.remove() }
            let cases = [
                (server, other.root.path), (server, nil), (expired, authority.root.path), (early, authority.root.path),
            ]
            for (server, caFile) in cases {
                let result = try await self.post(to: server, trusting: caFile)
                #expect(result.exchange.failure?.kind == "notSent tlsUntrusted")
                #expect(result.exchange.failure?.message.contains("is not trusted or not valid now") == true)
                #expect(result.received == 0)
            }
        }
    }

    @Test(arguments: [true, false])
    func `A client certificate that is demanded is shown, and named when it is missing or refused`(
        isLimitedToTLS12: Bool
    ) async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: Self.names)
            let client = try await authority.issue("client", names: "DNS:client.example")
            let other = try await TestAuthority("other")
            defer { other.remove() }
            let stranger = try await other.issue("client", names: "DNS:client.example")
            func post(as client: TestCertificate?) async throws -> (exchange: HTTPExchange, received: Int) {
                try await self.post(
                    to: server,
                    trusting: authority.root.path,
                    as: client,
                    clientAuthority: authority.root.certificate,
                    isLimitedToTLS12: isLimitedToTLS12
                )
            }
            #expect(try await post(as: client).exchange.reply?.status == 200)
            for (shown, words) in [(nil, "none is configured"), (stranger, "refuses our client certificate")] {
                let result = try await post(as: shown)
                let failure = try #require(result.exchange.failure)
                #expect(failure.code == .tlsClientCertificate)
                #expect(failure.message.contains(words))
                // With TLS 1.3 the server's word comes after the handshake is over for us.
                #expect(failure.phase == (isLimitedToTLS12 ? .notSent : .afterSend))
                // Credentials that are refused are refused next time, too; a server that refuses them has read no request.
                #expect(failure.remoteFailure(afterSend: .unknown).failureClass == .stop)
                #expect(result.received == 0)
            }
        }
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "220 ESMTP\r\n"])
    func `A server that speaks plain text is named so`(greeting: String) async throws {
        var options = FaultServer.Options()
        options.greeting = greeting
        try await withFaultServer(.silence, options: options) { server, port in
            let failure = try await withEndpoint("https://127.0.0.1:\(port)/") {
                await $0.post(.form(try makeForm())).failure
            }
            #expect(failure?.kind == "notSent tlsProtocol")
            #expect(server.received.isEmpty)
        }
    }

    @Test func `A JSON object that is whole is the reply, although TLS ended without a word`() async throws {
        try await withAuthority { authority in
            var options = FaultServer.Options()
            options.tls = FaultTLS(try await authority.issue("server", names: Self.names))
            for (body, isWhole) in [("{\"RETCODE\":0}", true), ("{\"RETCODE\":0", false)] {
                let reply = FaultReply(raw: "HTTP/1.1 200 OK\r\n\r\n\(body)")
                let script = FaultScript.answerThen { _ in (reply, .cutOff) }
                let exchange = try await withFaultServer(script, options: options) { _, port in
                    try await withEndpoint(
                        "https://localhost:\(port)/",
                        { $0.tls.caFile = authority.root.path },
                        run: { await $0.post(.form(try makeForm())) }
                    )
                }
                #expect((exchange.reply?.status == 200) == isWhole)
                #expect((exchange.failure?.code == .connectionClosed) != isWhole)
            }
        }
    }

    @Test func `The day that is named is that of the certificate that has expired`() async throws {
        try await withAuthority { authority in
            let client = try await authority.issue("client", names: "DNS:a.example")
            let old = try await authority.issue("old", names: "DNS:a.example", years: 2020...2021)
            var settings = EndpointSettings(url: "https://a.example/")
            settings.tls.clientCertificate = try authority.write(client.certificate + old.certificate, to: "chain.pem")
            settings.tls.clientKey = client.keyPath
            let error = #expect(throws: CodedError.self) { try HTTPEndpoint(settings, section: "delivery") }
            #expect(error?.message.contains("expired on 2021-12-31") == true)
        }
    }

    @Test func `A file that begins with the mark of UTF-8 is read like any other`() async throws {
        try await withAuthority { authority in
            let client = try await authority.issue("client", names: "DNS:a.example")
            var settings = EndpointSettings(url: "https://a.example/")
            settings.tls.caFile = try authority.write("\u{FEFF}" + authority.root.certificate, to: "marked.pem")
            settings.tls.clientCertificate = try authority.write("\u{FEFF}" + client.certificate, to: "client.pem")
            let key = try authority.write("\u{FEFF}" + client.key, to: "client.key")
            #expect(chmod(key, 0o600) == 0)
            settings.tls.clientKey = key
            await (try HTTPEndpoint(settings, section: "delivery")).shutdown()
        }
    }

    @Test func `A renewed certificate is shown from the next connection on, a spoilt one never`() async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: Self.names)
            let other = try await TestAuthority("other")
            defer { other.remove() }
            let (old, new) = (
                try await other.issue("old", names: "DNS:a"), try await authority.issue("new", names: "DNS:b")
            )
            var options = FaultServer.Options()
            var tls = FaultTLS(server)
            tls.clientAuthority = authority.root.certificate
            options.tls = tls
            try await withFaultServer(.reply(FaultReply(body: "{}")), options: options) { _, port in
                var settings = EndpointSettings(url: "https://localhost:\(port)/")
                settings.tls.caFile = authority.root.path
                settings.tls.clientCertificate = try authority.write(old.certificate, to: "client.pem")
                settings.tls.clientKey = try authority.write(old.key, to: "client.key")
                #expect(chmod(settings.tls.clientKey!, 0o600) == 0)
                let endpoint = try HTTPEndpoint(settings, section: "delivery")
                #expect(await endpoint.post(.form(try makeForm())).reply == nil)
                _ = try authority.write("spoilt", to: "client.pem")
                #expect(throws: CodedError.self) { try endpoint.reload() }
                _ = try authority.write(new.certificate, to: "client.pem")
                _ = try authority.write(new.key, to: "client.key")
                #expect(chmod(settings.tls.clientKey!, 0o600) == 0)
                try endpoint.reload()
                #expect(await endpoint.post(.form(try makeForm())).reply?.status == 200)
                await endpoint.shutdown()
            }
        }
    }

    @Test func `A mistake in the files is named when the endpoint is set up, with file and key`() async throws {
        try await withAuthority { authority in
            let client = try await authority.issue("client", names: "DNS:a.example")
            let other = try await authority.issue("other", names: "DNS:a.example")
            let old = try await authority.issue("old", names: "DNS:a.example", years: 2020...2021)
            let text = try authority.write("no certificate", to: "text.pem")
            let locked = try authority.write("-----BEGIN ENCRYPTED PRIVATE KEY-----", to: "locked.key")
            let open = try authority.write(client.key, to: "open.key")
            let der = try authority.write("", to: "der.pem")
            let begin = client.certificate.firstRange(of: "-----\n")!.upperBound
            let base64 = client.certificate[begin...].prefix { $0 != "-" }.filter { $0 != "\n" }
            try Data(base64Encoded: String(base64))!.write(to: URL(filePath: der))
            #expect(chmod(der, 0o600) == 0)
            #expect(chmod(text, 0o600) == 0 && chmod(locked, 0o600) == 0 && chmod(open, 0o644) == 0)
            let table: [(ca: String?, certificate: String?, key: String?, code: String, words: String)] = [
                ("/nonexistent/ca.pem", nil, nil, "tls_file_invalid", "delivery.tls.ca_file"),
                (text, nil, nil, "tls_file_invalid", "BEGIN CERTIFICATE"),
                (old.path, nil, nil, "tls_certificate_expired", "2021-12-31"),
                (nil, client.path, nil, "tls_file_invalid", "set both or none"),
                (nil, client.path, text, "tls_file_invalid", "private key in PEM"),
                (nil, client.path, locked, "tls_file_invalid", "openssl pkey -in "),
                (der, nil, nil, "tls_file_invalid", "openssl x509 -inform DER -in "),
                (nil, client.path, der, "tls_file_invalid", "openssl pkey -inform DER -in "),
                (nil, client.path, open, "tls_file_invalid", "mode 0644); run: chmod 600"),
                (nil, client.path, other.keyPath, "tls_key_mismatch", "client_key"),
                (nil, old.path, old.keyPath, "tls_certificate_expired", "client_certificate"),
            ]
            for row in table {
                var settings = EndpointSettings(url: "https://a.example/")
                settings.tls.caFile = row.ca
                settings.tls.clientCertificate = row.certificate
                settings.tls.clientKey = row.key
                let error = #expect(throws: CodedError.self) { try HTTPEndpoint(settings, section: "delivery") }
                #expect(error?.code.rawValue == row.code)
                #expect(error?.kind == .configuration)
                #expect(error?.message.contains(row.words) == true)
                // A path is a name that somebody chose.
                #expect(error?.description.contains("/") == false)
            }
        }
    }
}
