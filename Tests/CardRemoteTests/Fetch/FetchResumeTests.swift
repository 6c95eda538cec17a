import CardModel
import TestSupport
import Testing

@testable import CardRemote

/// Beginning, breaking off and going on.
@Suite(.timeLimit(.minutes(5))) struct FetchResumeTests {
    private static let image = Specimen.image(700_001)
    private let host = SpecimenHost(Self.image)

    @Test func `An image comes in one request, which carries nothing but what it needs`() async throws {
        try await self.host.expectImage()
        #expect(await self.host.box.version == FetchedVersion(validator: #""v1""#, byteCount: Self.image.count))
        let request = try #require(self.host.received.first)
        #expect(self.host.received.count == 1)
        #expect(request.path == "/\(Specimen.canary).jpg?sig=\(Specimen.canary)")
        #expect(request.header("Host")?.hasPrefix(Specimen.host + ":") == true)
        #expect(request.header("Accept-Encoding") == "identity")
        for name in ["Range", "If-Range", "Authorization", "Cookie", "Referer", "Proxy-Authorization"] {
            #expect(request.header(name) == nil)
        }
    }

    @Test(arguments: [64, 65_536, 700_000])
    func `After a cut in the middle only the bytes come that were not kept`(count: Int) async throws {
        var kept = 0
        self.host.change { number, _, answer in if number == 0 { answer.cut(to: count) } }
        try await self.host.expectImage(attempts: 2, keptOnce: true) { first in
            #expect(first.failure?.kind == "transient connection_closed")
            // What a connection held when it broke may be lost with it.
            kept = await self.host.box.count
            #expect(kept <= count)
        }
        #expect(self.host.ranges == ["-", kept == 0 ? "-" : "bytes=\(kept)-700000"])
        #expect(kept == 0 || self.host.received.last?.header("If-Range") == #""v1""#)
    }

    @Test func `A few bytes of which nothing is known are not kept`() async throws {
        self.host.change { _, _, answer in answer.cut(to: 63) }
        #expect(try await self.host.fetch().failure?.code == "connection_closed")
        #expect(await self.host.box.keeps == 0)
    }

    @Test func `Without an entity tag the date of the image resumes it`() async throws {
        let modified = "Sun, 31 Dec 2023 23:59:59 GMT"
        let headers = ["Last-Modified": modified, "Date": "Mon, 01 Jan 2024 00:00:00 GMT"]
        let host = SpecimenHost(Self.image, headers: headers)
        host.change { number, _, answer in if number == 0 { answer.cut(to: 1000) } }
        try await host.expectImage(attempts: 2)
        #expect(host.received.last?.header("If-Range") == modified)
        #expect(host.ranges.last == "bytes=1000-700000")
    }

    @Test(arguments: [true, false])
    func `Without a validator nothing is resumed, and nothing of two answers is joined`(saysSize: Bool) async throws {
        let host = SpecimenHost(Self.image, headers: ["Accept-Ranges": "bytes"])
        let other = Specimen.image(600_000, seed: 9)
        host.change { number, _, answer in
            if number == 0 { answer.cut(to: 650_000) }
            if !saysSize {
                answer.headers["Content-Length"] = nil
                answer.ending = number == 0 ? .reset : .close
            }
        }
        try await host.expectImage(attempts: 2) { first in
            let code = first.failure?.code
            #expect(code == "connection_closed" || !saysSize && code == "connection_reset")
            host.replace(other)
        }
        #expect(host.ranges == (saysSize ? ["-", "-"] : ["-", "-", "-"]))
    }

    @Test(arguments: [true, false])
    func `A host that ignores ranges, and may not say the size again, sends all, and nothing is kept twice`(
        saysSize: Bool
    ) async throws {
        self.host.forgetRanges()
        self.host.change { number, _, answer in
            if number == 0 { return answer.cut(to: 300_000) }
            if saysSize { return }
            answer.headers["Content-Length"] = nil
            answer.ending = .close
        }
        try await self.host.expectImage(attempts: 2, keptOnce: true)
    }

    @Test func `An image that has changed since begins again`() async throws {
        let other = Specimen.image(500_000, seed: 2)
        self.host.change { number, _, answer in if number == 0 { answer.cut(to: 300_000) } }
        try await self.host.expectImage(attempts: 2) { _ in self.host.replace(other, headers: ["ETag": #""v2""#]) }
        #expect(await self.host.box.version == FetchedVersion(validator: #""v2""#, byteCount: 500_000))
    }

    @Test func `An image that has shrunk below what is there begins again`() async throws {
        let other = Specimen.image(100_000, seed: 2)
        self.host.change { number, _, answer in
            if number == 0 { answer.cut(to: 300_000) }
            // A host that looks at the range before it looks at `If-Range`.
            if number == 1 { answer.become("416 Range Not Satisfiable", ["Content-Range": "bytes */100000"]) }
        }
        try await self.host.expectImage(attempts: 2) { _ in self.host.replace(other, headers: ["ETag": #""v2""#]) }
        // On a busy machine less than what was sent is there when the connection breaks.
        #expect(self.host.ranges.count == 3 && self.host.ranges[0] == "-" && self.host.ranges[2] == "-")
        #expect(self.host.ranges[1].wholeMatch(of: /bytes=\d+-700000/) != nil, "\(self.host.ranges[1])")
    }

    @Test func `A body whose end nothing proves counts once a second one is as long`() async throws {
        let host = SpecimenHost(Self.image, headers: [:])
        host.change { number, _, answer in
            // Bodies that last until the connection ends; the first was cut on its way.
            answer.headers["Content-Length"] = nil
            answer.cut(to: number == 0 ? 300_000 : .max)
        }
        try await host.expectImage()
        #expect(host.ranges == ["-", "-", "-"])
    }

    @Test func `A body that ends elsewhere each time is a failure of its host`() async throws {
        self.host.change { number, _, answer in
            answer.headers = [:]
            answer.cut(to: 300_000 + number)
        }
        #expect(try await self.host.fetch().failure?.failureClass == .transient)
    }

    @Test func `an answer that is not the part asked for is followed by one request for the whole`() async throws {
        let wrong: [(status: String, range: String)] = [
            ("206 Partial Content", "bytes 0-700000/700001"), ("206 Partial Content", "bytes 5-700000/700001"),
            ("200 OK", "bytes 100000-700000/700001"),
        ]
        for (status, range) in wrong {
            let host = SpecimenHost(Self.image)
            host.change { number, request, answer in
                if number == 0 { return answer.cut(to: 100_000) }
                guard request.header("Range") != nil else { return }
                answer.status = status
                answer.headers["Content-Range"] = range
            }
            try await host.expectImage(attempts: 2)
            #expect(host.ranges.count == 3 && host.ranges.last == "-", "\(host.ranges)")
        }
    }

    @Test(arguments: ["200 OK", "206 Partial Content"])
    func `A part that nobody asked for is not the whole, and all of it is`(status: String) async throws {
        for (end, isWhole) in [(99_999, false), (700_000, true)] {
            let host = SpecimenHost(Self.image)
            host.change { _, _, answer in
                answer.status = status
                answer.headers["Content-Range"] = "bytes 0-\(end)/700001"
                answer.headers["Content-Length"] = "\(end + 1)"
                answer.body = answer.body.prefix(end + 1)
            }
            let outcome = try await host.fetch()
            #expect(outcome.isFetched == isWhole && (outcome.failure?.failureClass == .transient) != isWhole)
            #expect(await host.box.count == (isWhole ? Self.image.count : 0))
            #expect(host.received.count <= 3)
        }
    }

    @Test func `An image of unknown length is complete at its end, and known to be after a restart`() async throws {
        self.host.change { number, _, answer in
            guard number == 0 else { return }
            // In chunks, whose end is told.
            answer.headers["Content-Length"] = nil
            answer.headers["Transfer-Encoding"] = "chunked"
            answer.body = (Array("aae61\r\n".utf8) + Self.image + Array("\r\n0\r\n\r\n".utf8))[...]
        }
        // The process ended before the outcome was written down.
        try await self.host.expectImage(attempts: 2) { first in
            #expect(first.isFetched)
            #expect(await self.host.box.version == FetchedVersion(validator: #""v1""#, byteCount: nil))
        }
        #expect(self.host.ranges == ["-", "bytes=700001-"])
    }

    @Test func `What is there as a whole is not asked for again`() async throws {
        #expect(try await self.host.fetch(attempts: 2).isFetched)
        #expect(self.host.received.count == 1)
    }

    @Test(arguments: [SpecimenHost.headers, ["ETag": #""v1""#]])
    func `What the store throws comes out as it is, and the image is joined from what was kept until then`(
        headers: [String: String]
    ) async throws {
        let image = Specimen.image(5_300_000)
        for keeps in 0..<6 {
            let host = SpecimenHost(image, headers: headers)
            await host.box.fill(after: keeps)
            await #expect(throws: PieceBox.Full()) { try await host.fetch() }
            await host.box.fill(after: .max)
            try await host.expectImage(keptOnce: true)
        }
    }
}
