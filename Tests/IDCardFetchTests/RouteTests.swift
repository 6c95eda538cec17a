import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

@testable import IDCardFetch

/// Where connections go: names, addresses and redirects.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2))))
struct RouteTests {
    private static let image = Specimen.image(2_500_000)

    /// A name service that answers differently every time, and counts.
    private final class Names: Sendable {
        private let state: Mutex<(answers: [[String]], asked: [String])>

        init(_ answers: [String]...) {
            self.state = Mutex((answers, []))
        }

        var asked: [String] { self.state.withLock { $0.asked } }

        var resolver: HostResolver {
            HostResolver { name in
                let answer = self.state.withLock { state in
                    state.asked.append(name)
                    return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
                }
                return answer.compactMap { IPAddress($0) }
            }
        }
    }

    @Test("A name is resolved once for an image: what it says later moves no connection of it")
    func rebinding() async throws {
        let host = SpecimenHost(Self.image)
        let names = Names(["127.0.0.1"], ["10.0.0.1"])
        let box = PieceBox()
        try await host.serve { port in
            // The second address is allowed too: if it were connected to, that would show.
            var settings = try Specimen.settings(port: port)
            settings.allowedAddresses.append(try AddressBlock("10.0.0.1"))
            let fetcher = try Specimen.fetcher(settings, resolver: names.resolver)
            let outcome = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(outcome.isComplete(with: Self.image))
        }
        #expect(names.asked == [Specimen.host])
        #expect(host.received.count == 3)
    }

    @Test("A name that leads elsewhere the next time is checked anew, and refused")
    func rebindingBetweenAttempts() async throws {
        let host = SpecimenHost(Self.image)
        host.change { _, _, answer in answer.cut(to: 1000) }
        let names = Names(["127.0.0.1"], ["169.254.169.254"])
        let box = PieceBox()
        try await host.serve { port in
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port), resolver: names.resolver)
            let first = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(first.failure?.code == "connection_closed")
            let seen = host.received.count
            let second = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(second.refusal == .fetchAddressRefused)
            #expect(host.received.count == seen)
        }
        #expect(names.asked.count == 2)
    }

    @Test(
        "One forbidden address among the answers refuses all, and nothing is connected to",
        arguments: [
            ["127.0.0.1", "169.254.169.254"], ["10.0.0.1", "127.0.0.1"], ["127.0.0.1", "::1"],
            ["127.0.0.1", "fd00::1"],
            ["127.0.0.1", "::ffff:10.0.0.1"], ["127.0.0.2"], ["0.0.0.0"], ["::"], ["::ffff:127.0.0.1"],
            ["64:ff9b::7f00:1"],
        ]
    )
    func forbidden(addresses: [String]) async throws {
        let host = SpecimenHost(Self.image)
        try await host.serve { port in
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port), addresses: addresses)
            let outcome = try await PieceBox().fetch(Specimen.url(port: port), with: fetcher)
            #expect(outcome.refusal == .fetchAddressRefused)
            for address in addresses { #expect(!outcome.words.contains(address)) }
        }
        #expect(host.received.isEmpty)
    }

    @Test("Without a word in the configuration this machine is not connected to", arguments: ["127.0.0.1", "[::1]"])
    func loopback(literal: String) async throws {
        let host = SpecimenHost(Self.image)
        try await host.serve { port in
            var settings = try Specimen.settings(port: port)
            settings.hosts = [try HostPattern(literal)]
            settings.allowedAddresses = []
            let url = Specimen.url(port: port, host: literal)
            let outcome = try await PieceBox().fetch(url, with: Specimen.fetcher(settings))
            #expect(outcome.refusal == .fetchAddressRefused)
        }
        #expect(host.received.isEmpty)
    }

    @Test("An address in the list is connected to without a name service")
    func literal() async throws {
        let host = SpecimenHost(Self.image)
        let names = Names(["10.0.0.1"])
        try await host.serve { port in
            var settings = try Specimen.settings(port: port)
            settings.hosts = [try HostPattern("127.0.0.1")]
            let fetcher = try Specimen.fetcher(settings, resolver: names.resolver)
            let url = Specimen.url(port: port, host: "127.0.0.1")
            #expect(try await PieceBox().fetch(url, with: fetcher).isComplete(with: Self.image))
        }
        #expect(names.asked.isEmpty)
    }

    @Test("The next address is tried when one refuses the connection")
    func nextAddress() async throws {
        let host = SpecimenHost(Self.image)
        try await host.serve { port in
            var settings = try Specimen.settings(port: port)
            settings.allowedAddresses.append(try AddressBlock("127.0.0.9"))
            let fetcher = try Specimen.fetcher(settings, addresses: ["127.0.0.9", "127.0.0.1"])
            #expect(try await PieceBox().fetch(Specimen.url(port: port), with: fetcher).isComplete(with: Self.image))
        }
    }

    @Test("The address that has answered is tried first for the other ranges, and no other one comes in")
    func preferred() async throws {
        let resolver = HostResolver { _ in [.v4(0x0101_0101), .v4(0x0202_0202), .v4(0x0303_0303)] }
        let target = try FetchTarget("https://images.example.com/", maximumLength: 100)
        let endpoint = try await CheckedEndpoint(target, label: "host", rules: AddressRules(), resolver: resolver)
        let preferring = endpoint.preferring(.v4(0x0202_0202))
        #expect(preferring.addresses == [.v4(0x0202_0202), .v4(0x0101_0101), .v4(0x0303_0303)])
        #expect(endpoint.preferring(.v4(0x0A00_0001)).addresses == endpoint.addresses)
    }

    @Test("A refused connection is not sent")
    func refusedConnection() async throws {
        let port = try RefusingPort()
        defer { port.close() }
        let fetcher = try Specimen.fetcher(Specimen.settings(port: port.port))
        let outcome = try await PieceBox().fetch(Specimen.url(port: port.port), with: fetcher)
        #expect(outcome.failure?.failureClass == .notSent)
        #expect(outcome.failure?.code == "connect_refused")
    }

    @Test("A silent address is not sent")
    func silentAddress() async throws {
        let listener = try SilentListener()
        defer { listener.close() }
        var settings = try Specimen.settings(port: listener.port)
        settings.connectTimeout = .milliseconds(200)
        let fetcher = try Specimen.fetcher(settings)
        let outcome = try await PieceBox().fetch(Specimen.url(port: listener.port), with: fetcher)
        #expect(outcome.failure?.failureClass == .notSent)
        #expect(outcome.failure?.code == "connect_timeout")
    }

    @Test("A name without address costs an attempt, a name service without answer does not")
    func names() async throws {
        for (failure, expected) in [(HostResolver.Failure.noAddress, FailureClass.transient), (.unavailable, .notSent)]
        {
            let resolver = HostResolver { _ in throw failure }
            let fetcher = try Specimen.fetcher(Specimen.settings(port: 443), resolver: resolver)
            let outcome = try await PieceBox().fetch(Specimen.url(port: 443), with: fetcher)
            #expect(outcome.failure?.failureClass == expected)
            #expect(outcome.failure?.code == "dns")
        }
    }

    @Test("The system's name service knows this machine, and not what nobody may own")
    func system() async throws {
        let resolver = HostResolver.system(timeout: .seconds(30))
        let addresses = try await resolver.resolve("localhost")
        #expect(!addresses.isEmpty)
        #expect(addresses.allSatisfy { AddressClass(of: $0) == .loopback })
        await #expect(throws: HostResolver.Failure.self) { try await resolver.resolve("nowhere.invalid") }
    }

    @Test("No outcome shows anything of a URL, nor a host that is named only by a wildcard")
    func secrets() async throws {
        let host = SpecimenHost(Self.image)
        host.change { _, _, answer in
            answer.status = "500 canary"
            answer.headers = ["Content-Length": "0", "Retry-After": "canary"]
            answer.body = []
        }
        try await host.serve { port in
            var settings = try Specimen.settings(port: port)
            settings.hosts = [try HostPattern("*.example.com")]
            let url = Specimen.url(port: port, host: "canary-bucket.example.com")
            let outcome = try await PieceBox().fetch(url, with: Specimen.fetcher(settings))
            #expect(outcome.failure?.code == "fetch_server_error")
            #expect(!outcome.words.contains("canary"))
            #expect(outcome.words.contains("*.example.com"))
        }
    }
}
