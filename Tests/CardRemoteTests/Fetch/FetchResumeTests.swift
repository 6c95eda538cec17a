import CardModel
import TestSupport
import Testing

@testable import CardRemote

/// Beginning, breaking off and going on.
@Suite(.timeLimit(.minutes(5))) struct FetchResumeTests {
    private static let image = Specimen.image(700_001)
    private let host = SpecimenHost(Self.image)
    private let box = PieceBox()

    @Test func `An image comes in one request, which carries nothing but what it needs`() async throws {
        #expect(try await Specimen.fetch(from: self.host, into: self.box).isFetched)
        #expect(await self.box.image == Self.image)
        #expect(await self.box.version == FetchedVersion(validator: #""v1""#, byteCount: Self.image.count))
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
        let outcome = try await Specimen.fetch(from: self.host, into: self.box, attempts: 2) { first in
            #expect(first.failure?.failureClass == .transient)
            #expect(first.failure?.code == "connection_closed")
            // What a connection held when it broke may be lost with it.
            kept = await self.box.count
            #expect(kept <= count)
        }
        #expect(outcome.isFetched)
        #expect(self.host.ranges == ["-", kept == 0 ? "-" : "bytes=\(kept)-700000"])
        #expect(kept == 0 || self.host.received.last?.header("If-Range") == #""v1""#)
        #expect(await self.box.bytesKept == Self.image.count)
        #expect(await self.box.image == Self.image)
    }

    @Test func `A few bytes of which nothing is known are not kept`() async throws {
        self.host.change { _, _, answer in answer.cut(to: 63) }
        #expect(try await Specimen.fetch(from: self.host, into: self.box).failure?.code == "connection_closed")
        #expect(await self.box.keeps == 0)
    }

    @Test func `Without an entity tag the date of the image resumes it`() async throws {
        let modified = "Sun, 31 Dec 2023 23:59:59 GMT"
        let host = SpecimenHost(
            Self.image,
            headers: ["Last-Modified": modified, "Date": "Mon, 01 Jan 2024 00:00:00 GMT"]
        )
        host.change { number, _, answer in if number == 0 { answer.cut(to: 1000) } }
        #expect(try await Specimen.fetch(from: host, into: self.box, attempts: 2).isFetched)
        #expect(host.received.last?.header("If-Range") == modified)
        #expect(host.ranges.last == "bytes=1000-700000")
        #expect(await self.box.image == Self.image)
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
        let outcome = try await Specimen.fetch(from: host, into: self.box, attempts: 2) { first in
            #expect(
                first.failure?.code == "connection_closed" || !saysSize && first.failure?.code == "connection_reset"
            )
            host.replace(other)
        }
        #expect(outcome.isFetched)
        #expect(host.ranges == (saysSize ? ["-", "-"] : ["-", "-", "-"]))
        #expect(await self.box.image == other)
    }

    @Test func `A host that ignores ranges sends all again, and what is there is not kept twice`() async throws {
        self.host.forgetRanges()
        self.host.change { number, _, answer in if number == 0 { answer.cut(to: 300_000) } }
        #expect(try await Specimen.fetch(from: self.host, into: self.box, attempts: 2).isFetched)
        #expect(await self.box.image == Self.image)
        #expect(await self.box.bytesKept == Self.image.count)
    }

    @Test func `A size that is not said again makes no other version`() async throws {
        self.host.forgetRanges()
        self.host.change { number, _, answer in
            if number == 0 { return answer.cut(to: 300_000) }
            answer.headers["Content-Length"] = nil
            answer.ending = .close
        }
        #expect(try await Specimen.fetch(from: self.host, into: self.box, attempts: 2).isFetched)
        #expect(await self.box.image == Self.image)
        #expect(await self.box.bytesKept == Self.image.count)
    }

    @Test func `An image that has changed since begins again`() async throws {
        let other = Specimen.image(500_000, seed: 2)
        self.host.change { number, _, answer in if number == 0 { answer.cut(to: 300_000) } }
        let outcome = try await Specimen.fetch(from: self.host, into: self.box, attempts: 2) { _ in
            self.host.replace(other, headers: ["ETag": #""v2""#])
        }
        #expect(outcome.isFetched)
        #expect(await self.box.image == other)
        #expect(await self.box.version == FetchedVersion(validator: #""v2""#, byteCount: 500_000))
    }

    @Test func `An image that has shrunk below what is there begins again`() async throws {
        let other = Specimen.image(100_000, seed: 2)
        self.host.change { number, _, answer in
            if number == 0 { answer.cut(to: 300_000) }
            // A host that looks at the range before it looks at `If-Range`.
            if number == 1 { answer.become("416 Range Not Satisfiable", ["Content-Range": "bytes */100000"]) }
        }
        let outcome = try await Specimen.fetch(from: self.host, into: self.box, attempts: 2) { _ in
            self.host.replace(other, headers: ["ETag": #""v2""#])
        }
        #expect(outcome.isFetched)
        #expect(await self.box.image == other)
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
        #expect(try await Specimen.fetch(from: host, into: self.box).isFetched)
        #expect(await self.box.image == Self.image)
        #expect(host.ranges == ["-", "-", "-"])
    }

    @Test func `A body that ends elsewhere each time is a failure of its host`() async throws {
        self.host.change { number, _, answer in
            answer.headers = [:]
            answer.cut(to: 300_000 + number)
        }
        let outcome = try await Specimen.fetch(from: self.host, into: self.box)
        #expect(outcome.failure?.failureClass == .transient)
    }

    @Test func `An answer that is not the part that was asked for is followed by one request for the whole`()
        async throws
    {
        let wrong: [(status: String, range: String)] = [
            ("206 Partial Content", "bytes 0-700000/700001"), ("206 Partial Content", "bytes 5-700000/700001"),
            ("200 OK", "bytes 100000-700000/700001"),
        ]
        for (status, range) in wrong {
            let (host, box) = (SpecimenHost(Self.image), PieceBox())
            host.change { number, request, answer in
                if number == 0 { return answer.cut(to: 100_000) }
                guard request.header("Range") != nil else { return }
                answer.status = status
                answer.headers["Content-Range"] = range
            }
            #expect(try await Specimen.fetch(from: host, into: box, attempts: 2).isFetched, "\(range)")
            #expect(await box.image == Self.image, "\(range)")
            #expect(host.ranges.count == 3 && host.ranges.last == "-", "\(host.ranges)")
        }
    }

    @Test(arguments: ["200 OK", "206 Partial Content"])
    func `A part that nobody asked for is not the whole, and all of it is`(status: String) async throws {
        for (end, isWhole) in [(99_999, false), (700_000, true)] {
            let (host, box) = (SpecimenHost(Self.image), PieceBox())
            host.change { _, _, answer in
                answer.status = status
                answer.headers["Content-Range"] = "bytes 0-\(end)/700001"
                answer.headers["Content-Length"] = "\(end + 1)"
                answer.body = answer.body.prefix(end + 1)
            }
            let outcome = try await Specimen.fetch(from: host, into: box)
            #expect(outcome.isFetched == isWhole && (outcome.failure?.failureClass == .transient) != isWhole)
            #expect(await box.count == (isWhole ? Self.image.count : 0))
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
        let outcome = try await Specimen.fetch(from: self.host, into: self.box, attempts: 2) { first in
            #expect(first.isFetched)
            #expect(await self.box.version == FetchedVersion(validator: #""v1""#, byteCount: nil))
        }
        #expect(outcome.isFetched)
        #expect(await self.box.image == Self.image)
        #expect(self.host.ranges == ["-", "bytes=700001-"])
    }

    @Test func `What is there as a whole is not asked for again`() async throws {
        #expect(try await Specimen.fetch(from: self.host, attempts: 2).isFetched)
        #expect(self.host.received.count == 1)
    }

    @Test(arguments: [0, 1])
    func `What the store throws comes out as it is, and what it has kept stays`(keeps: Int) async throws {
        let image = Specimen.image(3_000_000)
        let host = SpecimenHost(image, headers: ["ETag": #""v1""#])
        await self.box.fill(after: keeps)
        await #expect(throws: PieceBox.Full()) { try await Specimen.fetch(from: host, into: self.box) }
        #expect(await self.box.count == keeps * 1_048_576)
        await self.box.fill(after: .max)
        #expect(try await Specimen.fetch(from: host, into: self.box).isFetched)
        #expect(await self.box.image == image)
        #expect(await self.box.bytesKept == image.count)
    }

    @Test func `Killed after any number of pieces, an image is joined from what was kept`() async throws {
        let image = Specimen.image(5_300_000)
        let host = SpecimenHost(image)
        for keeps in 0..<6 {
            let box = PieceBox()
            await box.fill(after: keeps)
            await #expect(throws: PieceBox.Full()) { try await Specimen.fetch(from: host, into: box) }
            await box.fill(after: .max)
            #expect(try await Specimen.fetch(from: host, into: box).isFetched)
            #expect(await box.image == image)
            #expect(await box.bytesKept == image.count)
        }
    }
}
