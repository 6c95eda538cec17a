import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardFetch

/// Beginning, breaking off and going on.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2))))
struct ResumeTests {
    private static let image = Specimen.image(700_001)

    @Test("An image comes in one request, which carries nothing but what it needs")
    func whole() async throws {
        let host = SpecimenHost(Self.image)
        let box = PieceBox()
        let outcome = try await Specimen.fetch(from: host, into: box)
        #expect(outcome?.isComplete(with: Self.image) == true)
        #expect(await box.joined == Self.image)
        #expect(await box.version == FetchedVersion(validator: #""v1""#, byteCount: Self.image.count))
        let request = try #require(host.received.first)
        #expect(host.received.count == 1)
        #expect(request.path == "/\(Specimen.canary).jpg?sig=\(Specimen.canary)")
        #expect(request.header("Host")?.hasPrefix(Specimen.host + ":") == true)
        #expect(request.header("Accept-Encoding") == "identity")
        #expect(request.header("Range") == "bytes=0-1048575")
        for name in ["If-Range", "Authorization", "Cookie", "Referer", "Proxy-Authorization"] {
            #expect(request.header(name) == nil)
        }
    }

    @Test("After a cut in the middle only the missing bytes come", arguments: [64, 65_536, 699_999])
    func cut(count: Int) async throws {
        let host = SpecimenHost(Self.image)
        let box = PieceBox()
        try await host.serve { port in
            host.change { number, _, answer in if number == 0 { answer.cut(to: count) } }
            let url = Specimen.url(port: port)
            let first = try await box.fetch(url, with: Specimen.fetcher(Specimen.settings(port: port)))
            #expect(first.failure?.failureClass == .transient)
            #expect(first.failure?.code == "connection_closed")
            #expect(await box.count == count)
            // Another fetcher, as after a restart.
            let second = try await box.fetch(url, with: Specimen.fetcher(Specimen.settings(port: port)))
            #expect(second.isComplete(with: Self.image))
        }
        #expect(host.ranges == ["bytes=0-1048575", "bytes=\(count)-700000"])
        #expect(host.received.last?.header("If-Range") == #""v1""#)
        #expect(host.totalSent == Self.image.count)
        #expect(await box.joined == Self.image)
    }

    @Test("Ever more cuts bring the image all the same, each byte once")
    func manyCuts() async throws {
        let host = SpecimenHost(Self.image)
        let box = PieceBox()
        host.change { _, _, answer in answer.cut(to: 100_000) }
        try await host.serve { port in
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port))
            for _ in 0..<7 {
                let outcome = try await box.fetch(Specimen.url(port: port), with: fetcher)
                #expect(outcome.failure?.code == "connection_closed")
            }
            let outcome = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(outcome.isComplete(with: Self.image))
        }
        #expect(host.totalSent == Self.image.count)
    }

    @Test("A few bytes of which nothing is known are not kept")
    func fewBytes() async throws {
        let host = SpecimenHost(Self.image)
        let box = PieceBox()
        host.change { _, _, answer in answer.cut(to: 63) }
        let outcome = try await Specimen.fetch(from: host, into: box)
        #expect(outcome?.failure?.code == "connection_closed")
        #expect(await box.keeps == 0)
    }

    @Test("Without an entity tag the date of the image resumes it")
    func lastModified() async throws {
        let modified = "Sun, 31 Dec 2023 23:59:59 GMT"
        let headers = ["Last-Modified": modified, "Date": "Mon, 01 Jan 2024 00:00:00 GMT"]
        let host = SpecimenHost(Self.image, headers: headers)
        let box = PieceBox()
        try await host.serve { port in
            host.change { number, _, answer in if number == 0 { answer.cut(to: 1000) } }
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port))
            _ = try await box.fetch(Specimen.url(port: port), with: fetcher)
            let outcome = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(outcome.isComplete(with: Self.image))
        }
        #expect(host.received.last?.header("If-Range") == modified)
        #expect(host.totalSent == Self.image.count)
    }

    @Test("Without a validator nothing is resumed, and nothing of two answers is joined")
    func unvalidated() async throws {
        let host = SpecimenHost(Self.image, headers: [:])
        let other = Specimen.image(600_000, seed: 9)
        let box = PieceBox()
        try await host.serve { port in
            host.change { number, _, answer in if number == 0 { answer.cut(to: 650_000) } }
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port))
            let first = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(first.failure?.code == "connection_closed")
            host.replace(other)
            let second = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(second.isComplete(with: other))
        }
        #expect(host.received.last?.header("If-Range") == nil)
        #expect(await box.joined == other)
    }

    @Test("A large image without a validator is asked for at once, not in ranges")
    func unvalidatedAndLarge() async throws {
        let image = Specimen.image(2_500_000)
        let host = SpecimenHost(image, headers: [:])
        let outcome = try await Specimen.fetch(from: host)
        #expect(outcome?.isComplete(with: image) == true)
        #expect(host.ranges == ["bytes=0-1048575", "-"])
    }

    @Test("A server that ignores ranges sends all again, and what is there is not kept twice")
    func rangesIgnored() async throws {
        let host = SpecimenHost(Self.image)
        let box = PieceBox()
        host.forgetRanges()
        try await host.serve { port in
            host.change { number, _, answer in if number == 0 { answer.cut(to: 300_000) } }
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port))
            let first = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(first.failure?.code == "connection_closed")
            let second = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(second.isComplete(with: Self.image))
        }
        #expect(await box.joined == Self.image)
        #expect(await box.bytesKept == Self.image.count)
    }

    @Test("An image that has changed since begins anew")
    func changed() async throws {
        let host = SpecimenHost(Self.image)
        let other = Specimen.image(500_000, seed: 2)
        let box = PieceBox()
        try await host.serve { port in
            host.change { number, _, answer in if number == 0 { answer.cut(to: 300_000) } }
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port))
            _ = try await box.fetch(Specimen.url(port: port), with: fetcher)
            host.replace(other, headers: ["ETag": #""v2""#])
            let outcome = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(outcome.isComplete(with: other))
        }
        #expect(await box.joined == other)
        #expect(await box.version?.validator == #""v2""#)
    }

    @Test("An image that has shrunk below what is there begins anew")
    func shrunk() async throws {
        let host = SpecimenHost(Self.image)
        let other = Specimen.image(100_000, seed: 2)
        let box = PieceBox()
        try await host.serve { port in
            host.change { number, _, answer in
                if number == 0 { answer.cut(to: 300_000) }
                // A server that looks at the range before it looks at `If-Range`.
                if number == 1 {
                    answer.status = "416 Range Not Satisfiable"
                    answer.headers = ["Content-Range": "bytes */100000", "Content-Length": "0"]
                    answer.body = []
                }
            }
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port))
            _ = try await box.fetch(Specimen.url(port: port), with: fetcher)
            host.replace(other, headers: ["ETag": #""v2""#])
            let outcome = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(outcome.isComplete(with: other))
        }
        #expect(host.ranges == ["bytes=0-1048575", "bytes=300000-700000", "-"])
    }

    @Test("An image of unknown length is complete at its end, and known to be after a restart")
    func unknownLength() async throws {
        let host = SpecimenHost(Self.image)
        let box = PieceBox()
        try await host.serve { port in
            host.change { number, _, answer in
                guard number == 0 else { return }
                // The body lasts until the connection ends.
                answer.status = "200 OK"
                answer.headers["Content-Length"] = nil
                answer.headers["Content-Range"] = nil
            }
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port))
            let first = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(first.isComplete(with: Self.image))
            #expect(await box.version == FetchedVersion(validator: #""v1""#, byteCount: nil))
            // The process ended before the outcome was written down.
            let second = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(second.isComplete(with: Self.image))
        }
        #expect(host.ranges == ["bytes=0-1048575", "bytes=700001-"])
        #expect(host.totalSent == Self.image.count)
    }

    @Test("What is there as a whole is not asked for again")
    func nothingMissing() async throws {
        let host = SpecimenHost(Self.image)
        let box = PieceBox()
        try await host.serve { port in
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port))
            _ = try await box.fetch(Specimen.url(port: port), with: fetcher)
            let outcome = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(outcome.isComplete(with: Self.image))
        }
        #expect(host.received.count == 1)
    }

    @Test("What the store throws comes out as it is")
    func storeFailure() async throws {
        let box = PieceBox()
        await box.fill(after: 0)
        await #expect(throws: PieceBox.Full()) { try await Specimen.fetch(from: SpecimenHost(Self.image), into: box) }
    }
}
