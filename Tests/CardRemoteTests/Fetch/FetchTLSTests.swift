import CardModel
import TestSupport
import Testing

@testable import CardRemote

/// Connections to a checked address that must show the certificate of the name.
@Suite(.timeLimit(.minutes(5))) struct FetchTLSTests {
    private static let image = Specimen.image(2_500_000)

    /// Makes an attempt on a host that shows a certificate, until one fetches it or they are used up.
    private func fetch(
        _ certificate: TestCertificate,
        trusting caFile: String?,
        as name: String = Specimen.host,
        from host: SpecimenHost = SpecimenHost(Self.image)
    ) async throws -> FetchOutcome {
        try await host.serve(tls: FaultTLS(certificate)) { port in
            var settings = Specimen.settings(port: port)
            settings.hosts = [name]
            settings.allowsHTTP = false
            settings.caFile = caFile
            return try await Specimen.withFetcher(settings) {
                try await host.box.fetch(Specimen.url(port: port, scheme: "https", host: name), with: $0)
            }
        }
    }

    /// Of the address the certificate need not be, and with that of another one nothing is sent.
    @Test func `The certificate is that of the name, although the connection leads to an address`() async throws {
        let right = [
            "DNS:images.example.com", "DNS:IMAGES.Example.com", "DNS:*.example.com",
            "IP:127.0.0.1,DNS:images.example.com",
        ]
        let wrong = [
            "IP:127.0.0.1", "DNS:elsewhere.example,IP:127.0.0.1", "DNS:*.com,IP:127.0.0.1",
            "DNS:example.com,IP:127.0.0.1", "DNS:*.images.example.com,IP:127.0.0.1", "DNS:elsewhere.example",
            "URI:https://images.example.com",
        ]
        try await withAuthority { authority in
            for (number, names) in (right + wrong).enumerated() {
                let certificate = try await authority.issue("server\(number)", names: names)
                let host = SpecimenHost(Self.image)
                let outcome = try await self.fetch(certificate, trusting: authority.root.path, from: host)
                let isRight = right.contains(names)
                #expect(outcome.isFetched == isRight, "\(names)")
                #expect(outcome.failure?.kind == (isRight ? nil : "transient tls_wrong_host"), "\(names)")
                #expect(host.received.count == (isRight ? 3 : 0), "\(names)")
            }
        }
    }

    @Test func `An address has the certificate of the address`() async throws {
        try await withAuthority { authority in
            let ca = authority.root.path
            let right = try await authority.issue("right", names: "IP:127.0.0.1")
            #expect(try await self.fetch(right, trusting: ca, as: "127.0.0.1").isFetched)
            let wrong = try await authority.issue("wrong", names: "IP:127.0.0.2")
            #expect(try await self.fetch(wrong, trusting: ca, as: "127.0.0.1").failure?.code == "tls_wrong_host")
        }
    }

    @Test func `A certificate that nobody trusted has issued is not believed, and nothing is sent`() async throws {
        try await withAuthority { authority in
            let certificate = try await authority.issue("server", names: "DNS:\(Specimen.host)")
            let expired = try await authority.issue("expired", names: "DNS:\(Specimen.host)", years: 2020...2021)
            let other = try await TestAuthority("other")
            defer { other.remove() }
            for (shown, caFile) in [(certificate, other.root.path), (certificate, nil), (expired, authority.root.path)]
            {
                let host = SpecimenHost(Self.image)
                #expect(try await self.fetch(shown, trusting: caFile, from: host).failure?.code == "tls_untrusted")
                #expect(host.received.isEmpty)
            }
        }
    }

    @Test func `A cut over TLS is resumed, and only the missing bytes come`() async throws {
        try await withAuthority { authority in
            let certificate = try await authority.issue("server", names: "DNS:\(Specimen.host)")
            let host = SpecimenHost(Self.image)
            host.change { number, request, answer in
                if request.header("Range") == nil { answer.cut(to: 700_000) }
            }
            let ca = authority.root.path
            let first = try await self.fetch(certificate, trusting: ca, from: host)
            #expect(first.failure?.code == "connection_closed")
            #expect(try await self.fetch(certificate, trusting: ca, from: host).isFetched)
            #expect(await host.box.image == Self.image)
            #expect(await host.box.bytesKept == Self.image.count)
        }
    }

    @Test func `A file of authorities that cannot be read is named when the fetcher is set up`() throws {
        var settings = FetchSettings()
        settings.caFile = "/nonexistent/ca.pem"
        let error = #expect(throws: CodedError.self) {
            try ImageFetcher(settings, maxBytes: 1, isImage: { _ in true })
        }
        #expect(error?.message.contains("fetch.tls.ca_file") == true)
    }
}
