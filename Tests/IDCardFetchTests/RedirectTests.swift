import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardFetch

/// Servers that send elsewhere.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2))))
struct RedirectTests {
    private static let image = Specimen.image(2_500_000)

    /// Serves an image that is reached by a redirect, and works on it once.
    private func redirected(
        to location: @escaping @Sendable (Int) -> String?,
        status: Int = 302,
        times: Int = 1,
        maximum: Int = 1
    ) async throws -> (outcome: ImageFetcher.Outcome?, host: SpecimenHost) {
        let host = SpecimenHost(Self.image)
        var outcome: ImageFetcher.Outcome?
        try await host.serve { port in
            host.change { number, _, answer in
                guard number < times else { return }
                answer.status = "\(status) Elsewhere"
                answer.headers = ["Content-Length": "0", "Set-Cookie": "a=b"]
                answer.headers["Location"] = location(port)
                answer.body = []
            }
            var settings = try Specimen.settings(port: port)
            settings.maximumRedirects = maximum
            settings.hosts.append(try HostPattern("private.example.com"))
            let resolver = HostResolver { name in
                [name == "private.example.com" ? .v4(0x0A00_0001) : .v4(0x7F00_0001)]
            }
            let fetcher = try Specimen.fetcher(settings, resolver: resolver)
            outcome = try await PieceBox().fetch(Specimen.url(port: port), with: fetcher)
        }
        return (outcome, host)
    }

    @Test("By default no redirect is followed", arguments: [301, 302, 303, 307, 308])
    func noRedirect(status: Int) async throws {
        let (outcome, host) = try await self.redirected(
            to: { "http://\(Specimen.host):\($0)/x" },
            status: status,
            maximum: 0
        )
        #expect(outcome?.refusal == .fetchRedirectRefused)
        #expect(host.received.count == 1)
    }

    @Test(
        "A redirect that is allowed is followed, without anything carried along",
        arguments: [301, 302, 303, 307, 308]
    )
    func redirect(status: Int) async throws {
        let (outcome, host) = try await self.redirected(to: { "http://\(Specimen.host):\($0)/x?y" }, status: status)
        #expect(outcome?.isComplete(with: Self.image) == true)
        #expect(host.received[1].path == "/x?y")
        for name in ["Cookie", "Referer", "Authorization"] { #expect(host.received[1].header(name) == nil) }
        // The other ranges go where the first led to.
        #expect(host.received.dropFirst().allSatisfy { $0.path == "/x?y" })
    }

    @Test(
        "A relative redirect is resolved against the URL before",
        arguments: [("/x", "/x"), ("x", "/x"), ("?z", nil)]
    )
    func relative(location: String, path: String?) async throws {
        let (outcome, host) = try await self.redirected(to: { _ in location })
        #expect(outcome?.isComplete(with: Self.image) == true)
        #expect(host.received[1].path == path ?? "/\(Specimen.canary).jpg?z")
    }

    @Test("A redirect is checked by all the rules for a URL")
    func checked() async throws {
        let table: [(String, ReasonCode)] = [
            ("http://private.example.com:PORT/x", .fetchAddressRefused), ("http://127.0.0.1:PORT/x", .fetchHostRefused),
            ("http://elsewhere.example:PORT/x", .fetchHostRefused), ("//elsewhere.example/x", .fetchHostRefused),
            ("http://\(Specimen.host):1/x", .fetchPortRefused), ("file:///etc/passwd", .fetchSchemeRefused),
            ("http://user@\(Specimen.host):PORT/x", .fetchURLInvalid), ("http://2130706433:PORT/x", .fetchURLInvalid),
            ("ftp://\(Specimen.host)/x", .fetchSchemeRefused),
        ]
        for (location, code) in table {
            let (outcome, host) = try await self.redirected(to: { location.replacing("PORT", with: "\($0)") })
            #expect(outcome?.refusal == code, "\(location)")
            #expect(host.received.count == 1)
        }
    }

    @Test("A redirect without an address is refused")
    func nowhere() async throws {
        let (outcome, _) = try await self.redirected(to: { _ in nil })
        #expect(outcome?.refusal == .fetchRedirectRefused)
    }

    @Test("A circle of redirects comes to an end")
    func circle() async throws {
        let (outcome, host) = try await self.redirected(
            to: { "http://\(Specimen.host):\($0)/x" },
            times: .max,
            maximum: 3
        )
        #expect(outcome?.refusal == .fetchRedirectRefused)
        #expect(host.received.count == 4)
    }

    @Test("A redirect from https to http is never followed, whatever is allowed")
    func downgrade() throws {
        let fetcher = try Specimen.fetcher(Specimen.settings(port: 443))
        let target = try FetchTarget("https://\(Specimen.host)/a", maximumLength: 1000)
        do throws(FetchStop) {
            _ = try fetcher.checkRedirect(to: "http://\(Specimen.host):443/a", from: target)
            Issue.record("the redirect was followed")
        } catch {
            guard case .refused(let refusal) = error else { throw error }
            #expect(refusal.code == .fetchRedirectRefused)
        }
    }
}
