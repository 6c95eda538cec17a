import CardModel
import TestSupport
import Testing

@testable import CardRemote

/// Hosts that send elsewhere.
@Suite(.timeLimit(.minutes(5))) struct FetchRedirectTests {
    private static let image = Specimen.image(2_500_000)

    /// Serves an image that is reached by a redirect, and makes one attempt on it.
    private func redirected(
        to location: @escaping @Sendable (Int) -> String?,
        status: Int = 302,
        times: Int = 1,
        maximum: Int = 1
    ) async throws -> (outcome: FetchOutcome, host: SpecimenHost) {
        let host = SpecimenHost(Self.image)
        let outcome = try await host.serve { port in
            host.change { number, _, answer in
                guard number < times else { return }
                answer.become("\(status) Elsewhere", ["Set-Cookie": "a=b"])
                answer.headers["Location"] = location(port)
            }
            var settings = Specimen.settings(port: port)
            settings.maximumRedirects = maximum
            settings.hosts.append("private.example.com")
            let resolver = HostResolver { [$0 == "private.example.com" ? .v4(0x0A00_0001) : .v4(0x7F00_0001)] }
            return try await Specimen.withFetcher(settings, resolver: resolver) {
                try await PieceBox().fetch(Specimen.url(port: port), with: $0)
            }
        }
        return (outcome, host)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `By default no redirect is followed`(status: Int) async throws {
        let location: @Sendable (Int) -> String = { "http://\(Specimen.host):\($0)/x" }
        let (outcome, host) = try await self.redirected(to: location, status: status, maximum: 0)
        #expect(outcome.refusal == .fetchRedirectRefused)
        #expect(host.received.count == 1)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `A redirect that is allowed is followed, without anything carried along`(status: Int) async throws {
        let (outcome, host) = try await self.redirected(to: { "http://\(Specimen.host):\($0)/x?y" }, status: status)
        #expect(outcome.isFetched)
        for name in ["Cookie", "Referer", "Authorization"] { #expect(host.received[1].header(name) == nil) }
        // The other ranges come from where the first led to.
        #expect(host.received.dropFirst().allSatisfy { $0.path == "/x?y" })
        #expect(host.received.count == 4)
    }

    @Test(arguments: [("/x", "/x"), ("x", "/x"), ("?z", "/linnet-signature.jpg?z")])
    func `A relative redirect is resolved against the URL before`(location: String, path: String) async throws {
        let (outcome, host) = try await self.redirected(to: { _ in location })
        #expect(outcome.isFetched)
        #expect(host.received[1].path == path)
    }

    @Test(arguments: [
        ("http://private.example.com:PORT/x", ReasonCode.fetchAddressRefused),
        ("http://127.0.0.1:PORT/x", .fetchHostRefused), ("http://elsewhere.example:PORT/x", .fetchHostRefused),
        ("//elsewhere.example/x", .fetchHostRefused), ("http://images.example.com:1/x", .fetchPortRefused),
        ("file:///etc/passwd", .fetchSchemeRefused), ("http://user@images.example.com:PORT/x", .fetchURLInvalid),
        ("http://2130706433:PORT/x", .fetchURLInvalid), ("ftp://images.example.com/x", .fetchSchemeRefused),
        ("http://images.example.com:PORT/" + String(repeating: "a", count: 8200), .fetchURLInvalid),
    ])
    func `A redirect is checked by all the rules for a URL`(location: String, code: ReasonCode) async throws {
        let (outcome, host) = try await self.redirected(to: { location.replacing("PORT", with: "\($0)") })
        #expect(outcome.refusal == code)
        #expect(host.received.count == 1)
    }

    @Test func `A redirect without an address is refused`() async throws {
        #expect(try await self.redirected(to: { _ in nil }).outcome.refusal == .fetchRedirectRefused)
    }

    @Test func `A circle of redirects comes to an end`() async throws {
        let location: @Sendable (Int) -> String = { "http://\(Specimen.host):\($0)/x" }
        let (outcome, host) = try await self.redirected(to: location, times: .max, maximum: 3)
        #expect(outcome.refusal == .fetchRedirectRefused)
        #expect(host.received.count == 4)
    }

    @Test func `A cut behind a redirect is resumed by way of the first URL`() async throws {
        let host = SpecimenHost(Self.image)
        try await host.serve { port in
            host.change { number, request, answer in
                if request.path == "/x" { return number == 1 ? answer.cut(to: 1000) : () }
                answer.become("302 Found", ["Location": "/x"])
            }
            var settings = Specimen.settings(port: port)
            settings.maximumRedirects = 1
            for expected in [false, true] {
                let outcome = try await Specimen.withFetcher(settings) {
                    try await host.box.fetch(Specimen.url(port: port), with: $0)
                }
                #expect(outcome.isFetched == expected)
            }
        }
        #expect(await host.box.image == Self.image)
        #expect(host.received.last { $0.path != "/x" }?.header("If-Range") == #""v1""#)
    }

    @Test func `A redirect from https to http is never followed, whatever is allowed`() async throws {
        try await withAuthority { authority in
            let server = try await authority.issue("server", names: "DNS:\(Specimen.host)")
            let host = SpecimenHost(Self.image)
            try await host.serve(tls: FaultTLS(server)) { port in
                host.change { _, _, answer in
                    answer.become("302 Found", ["Location": Specimen.url(port: port, scheme: "http")])
                }
                var settings = Specimen.settings(port: port)
                settings.maximumRedirects = 5
                settings.caFile = authority.root.path
                let outcome = try await Specimen.withFetcher(settings) {
                    try await PieceBox().fetch(Specimen.url(port: port, scheme: "https"), with: $0)
                }
                #expect(outcome.refusal == .fetchRedirectRefused)
                #expect(outcome.words.contains("from https to http"))
            }
            #expect(host.received.count == 1)
        }
    }
}
