import CardModel
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import CardRemote

/// Where connections lead: names and addresses.
@Suite(.timeLimit(.minutes(5))) struct FetchRouteTests {
    private static let image = Specimen.image(2_500_000)
    private let host = SpecimenHost(Self.image)

    /// A name service that answers differently every time, and notes what it is asked.
    private final class Names: Sendable {
        private let state: Mutex<(answers: [[String]], asked: [String])>

        init(_ answers: [String]...) { self.state = Mutex((answers, [])) }

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

    /// Serves an image and makes one attempt on it.
    private func fetch(
        from host: SpecimenHost,
        resolver: HostResolver,
        as name: String = Specimen.host,
        _ change: (inout FetchSettings) -> Void = { _ in }
    ) async throws -> FetchOutcome {
        try await host.serve { port in
            var settings = Specimen.settings(port: port)
            change(&settings)
            return try await Specimen.withFetcher(settings, resolver: resolver) {
                try await PieceBox().fetch(Specimen.url(port: port, host: name), with: $0)
            }
        }
    }

    @Test func `A name is resolved once for an image, and what it says later moves no connection`() async throws {
        let names = Names(["127.0.0.1"], ["10.0.0.1"])
        // The second address is allowed too: if it were connected to, that would show.
        let outcome = try await self.fetch(from: self.host, resolver: names.resolver) {
            $0.allowedAddresses.append("10.0.0.1")
        }
        #expect(outcome.isFetched)
        #expect(names.asked == [Specimen.host])
        #expect(self.host.received.count == 3)
    }

    @Test func `A name that leads elsewhere the next time is checked again, and refused`() async throws {
        self.host.change { _, _, answer in answer.cut(to: 1000) }
        let names = Names(["127.0.0.1"], ["169.254.169.254"])
        try await self.host.serve { port in
            try await Specimen.withFetcher(Specimen.settings(port: port), resolver: names.resolver) { fetcher in
                let first = try await self.host.box.fetch(Specimen.url(port: port), with: fetcher)
                #expect(first.failure?.code == "connection_closed")
                let seen = self.host.received.count
                let second = try await self.host.box.fetch(Specimen.url(port: port), with: fetcher)
                #expect(second.refusal == .fetchAddressRefused)
                #expect(self.host.received.count == seen)
            }
        }
        #expect(names.asked.count == 2)
    }

    @Test(arguments: [
        ["127.0.0.1", "169.254.169.254"], ["10.0.0.1", "127.0.0.1"], ["127.0.0.1", "::1"], ["127.0.0.1", "fd00::1"],
        ["127.0.0.1", "::ffff:10.0.0.1"], ["127.0.0.2"], ["0.0.0.0"], ["::"], ["::ffff:127.0.0.1"],
        ["64:ff9b::7f00:1"],
        ["127.0.0.1", "1.0.0.1", "1.0.0.2", "1.0.0.3", "1.0.0.4", "1.0.0.5", "1.0.0.6", "1.0.0.7", "10.0.0.1"],
    ])
    func `one forbidden address of the answers refuses all; nothing is connected to`(addresses: [String]) async throws {
        let outcome = try await self.fetch(from: self.host, resolver: Names(addresses).resolver)
        #expect(outcome.refusal == .fetchAddressRefused)
        for address in addresses { #expect(!outcome.words.contains(address)) }
        #expect(self.host.connections == 0)
    }

    @Test(arguments: ["127.0.0.1", "[::1]"])
    func `Without a word in the configuration this machine is not connected to`(literal: String) async throws {
        let outcome = try await self.fetch(from: self.host, resolver: Names(["1.1.1.1"]).resolver, as: literal) {
            $0.hosts = [literal]
            $0.allowedAddresses = []
        }
        #expect(outcome.refusal == .fetchAddressRefused)
        #expect(self.host.connections == 0)
    }

    @Test func `An address in the list is connected to without a name service`() async throws {
        let names = Names(["10.0.0.1"])
        let outcome = try await self.fetch(from: self.host, resolver: names.resolver, as: "127.0.0.1") {
            $0.hosts = ["127.0.0.1"]
        }
        #expect(outcome.isFetched)
        #expect(names.asked.isEmpty)
    }

    @Test func `The next address is tried when one refuses the connection, and the others stay away`() async throws {
        let names = Names(["127.0.0.9", "127.0.0.1", "127.0.0.8"])
        let outcome = try await self.fetch(from: self.host, resolver: names.resolver) {
            $0.allowedAddresses += ["127.0.0.9", "127.0.0.8"]
        }
        #expect(outcome.isFetched)
        #expect(self.host.received.count == 3)
    }

    @Test func `A refused connection is not sent`() async throws {
        let port = try RefusingPort()
        defer { port.close() }
        let outcome = try await Specimen.withFetcher(Specimen.settings(port: port.port)) {
            try await PieceBox().fetch(Specimen.url(port: port.port), with: $0)
        }
        #expect(outcome.failure?.kind == "notSent connect_refused")
    }

    @Test(arguments: [(HostResolver.Failure.noAddress, FailureClass.transient), (.unavailable, .notSent)])
    func `A name without address costs an attempt, a name service without answer does not`(
        failure: HostResolver.Failure,
        expected: FailureClass
    ) async throws {
        let resolver = HostResolver { _ in throw failure }
        let outcome = try await self.fetch(from: SpecimenHost(Self.image), resolver: resolver)
        #expect(outcome.failure?.kind == "\(expected) dns")
    }

    @Test func `The system's name service knows this machine, and not what nobody may own`() async throws {
        let resolver = HostResolver.system(timeout: .seconds(30))
        let addresses = try await resolver.resolve("localhost")
        #expect(!addresses.isEmpty)
        #expect(addresses.allSatisfy { SpecialAddress(of: $0) == .loopback })
        await #expect(throws: HostResolver.Failure.self) { try await resolver.resolve("nowhere.invalid") }
    }

    @Test(.timeLimit(.minutes(1))) func `a hung name service holds four threads of its own`() async throws {
        let hung = DispatchSemaphore(value: 0)
        let (asked, asking) = AsyncStream<Void>.makeStream()
        let count = Mutex(0)
        let resolver = HostResolver.system(timeout: .seconds(300)) { _ in
            count.withLock { $0 += 1 }
            asking.yield()
            hung.wait()
            throw HostResolver.Failure.noAddress
        }
        let names = 4 * System.coreCount + 8
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<names {
                group.addTask {
                    await #expect(throws: HostResolver.Failure.noAddress) { try await resolver.resolve("h\(number)") }
                }
            }
            var begun = asked.makeAsyncIterator()
            for _ in 0..<4 { _ = await begun.next() }
            let isFree = try await NIOThreadPool.singleton.runIfActive { true }
            #expect(isFree && count.withLock { $0 } == 4)
            for _ in 0..<names { hung.signal() }
            try await group.waitForAll()
        }
    }

    @Test func `Of more hosts than clients are kept, each is fetched from`() async throws {
        let host = SpecimenHost(Specimen.image(1000))
        try await host.serve { port in
            var settings = Specimen.settings(port: port)
            settings.hosts = ["*.example.com"]
            try await Specimen.withFetcher(settings) { (fetcher) async throws -> Void in
                for number in 0..<40 {
                    let url = Specimen.url(port: port, host: "h\(number).example.com")
                    let outcome = try await PieceBox().fetch(url, with: fetcher)
                    #expect(outcome.isFetched)
                }
            }
        }
        #expect(host.received.count == 40)
    }

    @Test func `No outcome shows anything of a URL, nor a host that is named only by a wildcard`() async throws {
        self.host.change { _, _, answer in answer.become("500 linnet", ["Retry-After": "linnet"]) }
        let names = Names(["127.0.0.1"])
        let outcome = try await self.fetch(from: self.host, resolver: names.resolver, as: "linnet-bucket.example.com") {
            $0.hosts = ["*.example.com"]
        }
        #expect(outcome.failure?.code == "fetch_server_error")
        #expect(!outcome.words.contains("linnet"))
        #expect(outcome.words.contains("*.example.com"))
    }
}
