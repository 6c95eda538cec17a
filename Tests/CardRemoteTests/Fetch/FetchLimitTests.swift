import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardRemote

/// Sizes, times, types, and hosts that lie.
@Suite(.timeLimit(.minutes(5))) struct FetchLimitTests {
    private static let image = Specimen.image(300_000)
    private let host = SpecimenHost(Self.image)

    /// Makes one attempt on a server that follows one script.
    private func fetch(
        _ script: FaultScript,
        times: ImageFetcher.Times = ImageFetcher.Times()
    ) async throws -> FetchOutcome {
        try await withFaultServer(script) { _, port in
            try await Specimen.withFetcher(Specimen.settings(port: port), times: times) {
                try await self.host.box.fetch(Specimen.url(port: port), with: $0)
            }
        }
    }

    @Test func `An image that is announced as too large is refused before a byte of it is kept`() async throws {
        #expect(try await self.host.fetch(maxBytes: 299_999).refusal == .sourceTooLarge)
        #expect(await self.host.box.keeps == 0)
        #expect(try await self.host.fetch(maxBytes: 300_000).isFetched)
    }

    @Test func `An image that grew beyond the limit is refused at the rest`() async throws {
        self.host.change { number, _, answer in
            if number < 2 {
                // The body lasts until the connection ends: twice the same length is all that proves it whole.
                answer.headers["Content-Length"] = nil
                return answer.cut(to: 100_000)
            }
            answer.headers["Content-Range"] = "bytes 100000-50000000/50000001"
            answer.headers["Content-Length"] = nil
        }
        #expect(try await self.host.fetch().isFetched)
        #expect(await self.host.box.count == 100_000)
        #expect(try await self.host.fetch().refusal == .sourceTooLarge)
    }

    @Test(arguments: [true, false])
    func `An endless body is left at the limit`(isChunked: Bool) async throws {
        let body = Specimen.image(5_000_000)
        self.host.change { _, _, answer in
            answer.headers = isChunked ? ["Transfer-Encoding": "chunked"] : [:]
            answer.body = ((isChunked ? Array("4c4b40\r\n".utf8) : []) + body)[...]
        }
        #expect(try await self.host.fetch(maxBytes: 2_000_000).refusal == .sourceTooLarge)
        #expect(await self.host.box.count <= 2_000_000)
    }

    @Test func `A body that ends before its announced length is a beginning`() async throws {
        self.host.change { _, _, answer in
            answer.headers["Content-Length"] = "300001"
            answer.ending = .close
        }
        #expect(try await self.host.fetch().failure?.kind == "transient connection_closed")
        // The client drops what it had not handed over when the connection ended.
        #expect(await self.host.box.count <= 300_000)
        #expect(await self.host.box.image == nil)
    }

    @Test func `A body longer than its range is not taken beyond it`() async throws {
        self.host.change { number, _, answer in
            if number == 0 { return answer.cut(to: 100_000) }
            guard number == 1 else { return }
            answer.headers["Content-Length"] = nil
            answer.headers["Content-Range"] = "bytes 100000-199999/300000"
            answer.body += Self.image[0..<200_000]
            answer.ending = .silence
        }
        try await self.host.expectImage(attempts: 2, keptOnce: true)
    }

    @Test(arguments: [
        ["SSH-2.0-x\r\n"], ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nimage"],
        ["HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"],
        ["HTTP/1.1 200 OK\r\nX: ", String(repeating: "y", count: 100_000), "\r\n\r\n"],
    ])
    func `What is not HTTP, or has an endless head, is a failure`(parts: [String]) async throws {
        let outcome = try await self.fetch(.reply(FaultReply(raw: parts.joined())))
        #expect(outcome.failure?.kind == "transient reply_malformed")
    }

    @Test func `A host that falls silent loses its time, not what it has sent`() async throws {
        self.host.change { _, _, answer in
            answer.cut(to: 1000)
            answer.ending = .silence
        }
        let times = ImageFetcher.Times(silence: .milliseconds(300), total: .seconds(600))
        let began = ContinuousClock.now
        let outcome = try await self.host.fetch(times: times)
        #expect(outcome.failure?.kind == "transient deadline_exceeded")
        // On a busy machine the time may be over before the first bytes are taken.
        #expect([0, 1000].contains(await self.host.box.count))
        #expect(began.duration(to: .now) >= .milliseconds(300))
    }

    @Test(arguments: [
        // The other time is longer than a test may take.
        ImageFetcher.Times(silence: .milliseconds(300), total: .seconds(600)),
        ImageFetcher.Times(silence: .seconds(600), total: .milliseconds(300)),
    ])
    func `A host that never answers is left when its time is over`(times: ImageFetcher.Times) async throws {
        let began = ContinuousClock.now
        let outcome = try await self.fetch(.silence, times: times)
        #expect(outcome.failure?.code == "deadline_exceeded")
        #expect(began.duration(to: .now) >= .milliseconds(300))
    }

    @Test func `A body that is still coming is left when the time for everything is over`() async throws {
        let host = SpecimenHost(Specimen.image(4_000_000), headers: ["ETag": #""v1""#])
        let clock = ContinuousClock()
        try await host.serve { port in
            let request = FetchRequest(address: Redacted(Specimen.url(port: port)), stored: [], version: nil)
            let times = ImageFetcher.Times(total: .seconds(1))
            let outcome = try await Specimen.withFetcher(Specimen.settings(port: port), times: times) { fetcher in
                let end = clock.now + .milliseconds(1100)
                return try await fetcher.fetch(request) { bytes, offset, version in
                    try await host.box.keep(bytes, at: offset, of: version)
                    while clock.now < end { await Task.yield() }
                }
            }
            #expect(outcome.failure?.kind == "transient deadline_exceeded")
        }
        let count = await host.box.count
        #expect(count < 4_000_000)
        #expect(try await host.fetch().isFetched)
        #expect(host.ranges[1].hasPrefix(count == 0 ? "-" : "bytes=\(count)-"))
    }

    @Test(arguments: ["text/html; charset=utf-8", "application/json", "application/pdf", "imagejpeg", "", "x"])
    func `The first bytes say that it is an image, whatever its type says`(type: String) async throws {
        let host = SpecimenHost(Self.image, headers: ["Content-Type": type])
        try await host.expectImage()
    }

    @Test(arguments: [20, 2000, 2_000_000])
    func `A page that says it is an image is refused by its first bytes, and not kept`(count: Int) async throws {
        let page = Array("<!DOCTYPE html>".utf8) + [UInt8](repeating: 0x20, count: count)
        // On one connection: parts that are fetched beside the beginning may be there before it is refused.
        let host = SpecimenHost(page, headers: ["ETag": #""v1""#, "Content-Type": "image/jpeg"])
        #expect(try await host.fetch().refusal == .fetchNotAnImage)
        #expect(await host.box.keeps == 0)
    }

    @Test(arguments: [true, false]) func `Nothing is no image`(saysSize: Bool) async throws {
        let host = SpecimenHost([])
        host.change { _, _, answer in
            guard !saysSize else { return }
            answer.headers["Content-Length"] = nil
            answer.ending = .close
        }
        #expect(try await host.fetch().refusal == .fetchEmpty)
    }

    @Test(arguments: [3, 63, 64, 65])
    func `The smallest images are taken whole`(count: Int) async throws {
        let image = Specimen.image(count)
        try await SpecimenHost(image).expectImage()
    }

    @Test func `A definite no is one, and shows nothing of the URL`() async throws {
        self.host.change { _, _, answer in
            answer.status = "404 No"
            answer.headers = ["Content-Type": "text/html", "Content-Length": "6"]
            answer.body = Array("linnet".utf8)[...]
        }
        let outcome = try await self.host.fetch()
        #expect(outcome.failure?.kind == "rejected fetch_not_found")
        #expect(!outcome.words.contains("linnet"))
        #expect(outcome.words.contains(Specimen.host))
    }

    /// Lends an attempt that is under way: the host has fallen silent, this time.
    private func underWay(
        _ body: (Task<FetchOutcome, any Error>, ImageFetcher, _ url: String) async throws -> Void
    ) async throws {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        self.host.change { number, _, answer in
            guard number == 0 else { return }
            answer.cut(to: 1000)
            answer.ending = .silence
            arrival.yield()
        }
        try await self.host.serve { port in
            try await Specimen.withFetcher(Specimen.settings(port: port)) { (fetcher) async throws -> Void in
                let attempt = Task { try await self.host.box.fetch(Specimen.url(port: port), with: fetcher) }
                var iterator = arrivals.makeAsyncIterator()
                await iterator.next()
                try await body(attempt, fetcher, Specimen.url(port: port))
            }
        }
    }

    @Test func `Cancelling ends the attempt at once, is no failure, and keeps what has come`() async throws {
        try await self.underWay { attempt, _, _ in
            attempt.cancel()
            await #expect(throws: CancellationError.self) { try await attempt.value }
        }
        try await self.host.expectImage()
    }

    @Test func `A shutdown ends the attempts under way, and none begins after it`() async throws {
        try await self.underWay { attempt, fetcher, url in
            await fetcher.shutdown()
            #expect(try await attempt.value.failure != nil)
            let next = try await PieceBox().fetch(url, with: fetcher)
            #expect(next.failure?.failureClass == .transient)
        }
        #expect(self.host.received.count == 1)
    }
}
