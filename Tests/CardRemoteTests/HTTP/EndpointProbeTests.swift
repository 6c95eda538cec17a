import CardModel
import TestSupport
import Testing

@testable import CardRemote

/// How far a connection comes, and that nothing secret goes with it.
@Suite(.timeLimit(.minutes(5))) struct EndpointProbeTests {
    private static func steps(_ probe: EndpointProbe) -> String {
        probe.outcomes.map { "\($0.step.rawValue)\($0.isOK ? "" : " failed")" }.joined(separator: ", ")
    }

    @Test(arguments: [
        "200 OK", "302 Found", "401 Unauthorized", "404 Not Found", "405 Method Not Allowed", "500 Server Error",
    ])
    func `any status counts as reachable, and only a head was asked for`(status: String) async throws {
        try await withFaultServer(.reply(FaultReply(status))) { server, port in
            let probe = try await withEndpoint("http://127.0.0.1:\(port)/path?key=canary") { await $0.probe() }
            #expect(Self.steps(probe) == "name, connection, head")
            #expect(probe.isReachable && probe.endpoint == "127.0.0.1:\(port)")
            #expect(probe.outcomes.last?.message.text().contains(status.prefix(3)) == true)
            let received = try #require(server.received.first)
            #expect(server.received.count == 1 && received.head.hasPrefix("HEAD /path HTTP/1.1\r\n"))
            #expect(received.body.isEmpty)
            let names = received.head.split(separator: "\r\n").dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
            #expect(Set(names) == ["host", "user-agent", "accept", "accept-encoding", "connection"])
        }
    }

    @Test func `a page that is longer than a reply may be still answers`() async throws {
        let reply = FaultReply(raw: "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n")
        try await withFaultServer(.reply(reply)) { _, port in
            let probe = try await withEndpoint("http://127.0.0.1:\(port)/") { await $0.probe() }
            #expect(probe.isReachable)
        }
    }

    @Test func `a name without address, a closed port, a proxy and a silent server fail at their step`() async throws {
        let refusing = try RefusingPort()
        defer { refusing.close() }
        let name = try await withEndpoint("https://no-such-host.invalid/") { await $0.probe() }
        #expect(Self.steps(name) == "name failed")
        #expect(name.outcomes[0].message.text().contains("name service"))
        let port = try await withEndpoint("https://127.0.0.1:\(refusing.port)/") { await $0.probe() }
        #expect(Self.steps(port) == "name, connection failed" && !port.isReachable)
        try await withFaultServer(.replyAndClose(FaultReply("502 Bad Gateway"))) { server, port in
            let proxy = try await withEndpoint(
                "http://backend.invalid/",
                { $0.proxy = Redacted("http://127.0.0.1:\(port)") },
                run: { await $0.probe() }
            )
            #expect(Self.steps(proxy) == "name, connection failed")
            #expect(server.received.first?.head.hasPrefix("CONNECT backend.invalid:80") == true)
        }
        try await withFaultServer(.close) { _, port in
            let silent = try await withEndpoint("http://127.0.0.1:\(port)/") { await $0.probe() }
            #expect(Self.steps(silent) == "name, connection, head failed")
        }
    }

    @Test func `the certificate is checked as for a form, and its end is said`() async throws {
        try await withAuthority { authority in
            let right = try await authority.issue("right", names: "DNS:localhost", years: 2020...2088)
            let wrong = try await authority.issue("wrong", names: "DNS:other.example")
            let client = try await authority.issue("client", names: "DNS:client")
            func probe(
                _ server: TestCertificate,
                trusting caFile: String?,
                as client: TestCertificate? = nil,
                requiring authority: String? = nil
            ) async throws -> EndpointProbe {
                var options = FaultServer.Options()
                var tls = FaultTLS(server)
                tls.clientAuthority = authority
                tls.isLimitedToTLS12 = authority != nil
                options.tls = tls
                return try await withFaultServer(.reply(FaultReply()), options: options) { _, port in
                    try await withEndpoint(
                        "https://localhost:\(port)/",
                        {
                            $0.tls.caFile = caFile
                            $0.tls.clientCertificate = client?.path
                            $0.tls.clientKey = client?.keyPath
                        },
                        run: { await $0.probe() }
                    )
                }
            }
            let root = authority.root
            let fine = try await probe(right, trusting: root.path)
            #expect(Self.steps(fine) == "name, connection, tls, head")
            #expect(fine.outcomes[2].message.text().contains("until 2088-12-31"))
            let other = try await probe(wrong, trusting: root.path)
            #expect(Self.steps(other) == "name, connection, tls failed")
            let untrusted = try await probe(right, trusting: nil)
            #expect(Self.steps(untrusted) == "name, connection, tls failed")
            #expect(untrusted.outcomes[2].message.text().contains("tls.ca_file"))
            let shown = try await probe(right, trusting: root.path, as: client, requiring: root.certificate)
            #expect(shown.isReachable)
            let unshown = try await probe(right, trusting: root.path, requiring: root.certificate)
            #expect(Self.steps(unshown) == "name, connection, tls failed")
        }
    }
}
