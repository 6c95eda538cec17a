import IDCardCore
import IDCardPipeline
import IDCardTesting
import OutboundHTTP
import Testing

@testable import IDCardFetch

/// Connections to a checked address that must show the certificate of the name.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2))))
struct TLSTests {
    private static let image = Specimen.image(2_500_000)

    private func fetch(
        _ certificate: SpecimenCertificate,
        trusting trust: TLSSettings? = nil,
        host name: String = Specimen.host
    ) async throws -> (outcome: ImageFetcher.Outcome?, host: SpecimenHost) {
        let host = SpecimenHost(Self.image)
        var outcome: ImageFetcher.Outcome?
        try await host.serve(tls: certificate.server) { port in
            var settings = try Specimen.settings(port: port)
            settings.hosts = [try HostPattern(name)]
            settings.allowsHTTP = false
            settings.tls = trust ?? certificate.trust
            let url = Specimen.url(port: port, scheme: "https", host: name)
            outcome = try await PieceBox().fetch(url, with: Specimen.fetcher(settings))
        }
        return (outcome, host)
    }

    @Test(
        "The certificate is that of the name, although the connection goes to an address",
        arguments: [
            "DNS:images.example.com", "DNS:IMAGES.Example.com", "DNS:*.example.com",
            "IP:127.0.0.1,DNS:images.example.com",
        ]
    )
    func name(names: String) async throws {
        let (outcome, host) = try await self.fetch(SpecimenCertificate(names: names))
        #expect(outcome?.isComplete(with: Self.image) == true)
        #expect(host.totalSent == Self.image.count)
    }

    @Test(
        "The certificate of the address is not enough for the name, nor is that of another name, and nothing is sent",
        arguments: [
            "IP:127.0.0.1", "DNS:elsewhere.example,IP:127.0.0.1", "DNS:*.com,IP:127.0.0.1",
            "DNS:example.com,IP:127.0.0.1",
            "DNS:*.images.example.com,IP:127.0.0.1", "DNS:elsewhere.example", "URI:https://images.example.com",
        ]
    )
    func wrongName(names: String) async throws {
        let (outcome, host) = try await self.fetch(SpecimenCertificate(names: names))
        #expect(outcome?.failure?.code == "tls_wrong_host")
        #expect(outcome?.failure?.failureClass == .transient)
        #expect(host.received.isEmpty)
    }

    @Test("An address has the certificate of the address")
    func address() async throws {
        let certificate = try await SpecimenCertificate(names: "IP:127.0.0.1")
        #expect(try await self.fetch(certificate, host: "127.0.0.1").outcome?.isComplete(with: Self.image) == true)
        let other = try await SpecimenCertificate(names: "IP:127.0.0.2")
        #expect(try await self.fetch(other, host: "127.0.0.1").outcome?.failure?.code == "tls_wrong_host")
    }

    @Test("A certificate that nobody trusted has issued is not believed, and nothing is sent")
    func untrusted() async throws {
        let certificate = try await SpecimenCertificate(names: "DNS:\(Specimen.host)")
        let other = try await SpecimenCertificate(names: "DNS:\(Specimen.host)")
        for trust in [other.trust, TLSSettings()] {
            let (outcome, host) = try await self.fetch(certificate, trusting: trust)
            #expect(outcome?.failure?.code == "tls_untrusted")
            #expect(host.received.isEmpty)
        }
    }

    @Test("A cut over TLS is resumed, and only the missing bytes come")
    func resumed() async throws {
        let certificate = try await SpecimenCertificate(names: "DNS:\(Specimen.host)")
        let host = SpecimenHost(Self.image)
        let box = PieceBox()
        host.change { number, _, answer in if number == 0 { answer.cut(to: 700_000) } }
        try await host.serve(tls: certificate.server) { port in
            var settings = try Specimen.settings(port: port)
            settings.tls = certificate.trust
            let fetcher = try Specimen.fetcher(settings)
            let url = Specimen.url(port: port, scheme: "https")
            #expect(try await box.fetch(url, with: fetcher).failure?.code == "connection_closed")
            #expect(try await box.fetch(url, with: fetcher).isComplete(with: Self.image))
        }
        #expect(host.totalSent == Self.image.count)
    }

    @Test("A port that speaks no TLS is named so")
    func plainText() async throws {
        var options = FaultServer.Options()
        options.greeting = "HTTP/1.1 400 Bad Request\r\n\r\n"
        try await withFaultServer(.silence, options: options) { _, port in
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port))
            let outcome = try await PieceBox().fetch(Specimen.url(port: port, scheme: "https"), with: fetcher)
            #expect(outcome.failure?.failureClass == .transient)
            #expect(outcome.failure?.code == "tls_protocol")
        }
    }
}
