import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardFetch

/// Sizes, times, types, and servers that lie.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2))))
struct LimitTests {
    private static let image = Specimen.image(300_000)

    @Test("An image that is announced as too large is refused before a byte of it is kept")
    func announced() async throws {
        let box = PieceBox()
        let outcome = try await Specimen.fetch(from: SpecimenHost(Self.image), into: box) { $0.maximumBytes = 299_999 }
        #expect(outcome?.refusal == .sourceTooLarge)
        #expect(await box.keeps == 0)
    }

    @Test("An image that is too large in the sum of its ranges is refused at the first")
    func announcedInRanges() async throws {
        let host = SpecimenHost(Specimen.image(3_000_000))
        let outcome = try await Specimen.fetch(from: host) { $0.maximumBytes = 2_999_999 }
        #expect(outcome?.refusal == .sourceTooLarge)
        #expect(host.received.count == 1)
    }

    @Test("An image of exactly the limit is taken")
    func exact() async throws {
        let outcome = try await Specimen.fetch(from: SpecimenHost(Self.image)) { $0.maximumBytes = 300_000 }
        #expect(outcome?.isComplete(with: Self.image) == true)
    }

    @Test("An endless body is left at the limit", arguments: [true, false])
    func endless(isChunked: Bool) async throws {
        let host = SpecimenHost(Self.image)
        let body = Specimen.image(5_000_000)
        host.change { _, _, answer in
            answer.status = "200 OK"
            answer.headers = isChunked ? ["Transfer-Encoding": "chunked"] : [:]
            let chunk = Array("4c4b40\r\n".utf8)
            answer.body = (isChunked ? chunk + body : body)[...]
            answer.closes = false
        }
        let box = PieceBox()
        let outcome = try await Specimen.fetch(from: host, into: box) { $0.maximumBytes = 2_000_000 }
        #expect(outcome?.refusal == .sourceTooLarge)
        #expect(await box.count <= 2_000_000)
    }

    @Test("A body that ends before its announced length is not an image, but a beginning")
    func tooShort() async throws {
        let host = SpecimenHost(Self.image)
        host.change { _, _, answer in
            answer.status = "200 OK"
            answer.headers = ["Content-Length": "300001", "ETag": #""v1""#]
        }
        let box = PieceBox()
        let outcome = try await Specimen.fetch(from: host, into: box)
        #expect(outcome?.failure?.code == "connection_closed")
        #expect(outcome?.failure?.failureClass == .transient)
        #expect(await box.count == 300_000)
    }

    @Test("A body longer than its range is not believed")
    func tooLong() async throws {
        let host = SpecimenHost(Self.image)
        host.change { number, _, answer in
            guard number == 0 else { return }
            answer.headers["Content-Length"] = nil
            answer.headers["Content-Range"] = "bytes 0-199999/300000"
        }
        let outcome = try await Specimen.fetch(from: host)
        #expect(outcome?.isComplete(with: Self.image) == true)
        // The rest may have been asked for before the lie was seen.
        #expect(host.ranges.last == "-")
    }

    @Test(
        "What is not HTTP, or has an endless head, is a failure",
        arguments: [
            ["SSH-2.0-x\r\n"], ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nimage"],
            ["HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"],
            ["HTTP/1.1 200 OK\r\n", String(repeating: "X-Y: z\r\n", count: 200), "\r\n"],
            ["HTTP/1.1 200 OK\r\nX: ", String(repeating: "y", count: 100_000), "\r\n\r\n"],
        ]
    )
    func malformed(parts: [String]) async throws {
        let text = FaultReply(raw: parts.joined())
        try await withFaultServer(.reply(text)) { _, port in
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port))
            let outcome = try await PieceBox().fetch(Specimen.url(port: port), with: fetcher)
            #expect(outcome.failure?.code == "reply_malformed")
            #expect(outcome.failure?.failureClass == .transient)
        }
    }

    @Test("A server that falls silent in the middle loses its time, not what it has sent")
    func silence() async throws {
        let host = SpecimenHost(Self.image)
        host.change { _, _, answer in
            answer.cut(to: 1000)
            answer.closes = false
        }
        let box = PieceBox()
        let outcome = try await Specimen.fetch(from: host, into: box) { $0.stallTimeout = .milliseconds(300) }
        #expect(outcome?.failure?.code == "idle_timeout")
        #expect(outcome?.failure?.failureClass == .transient)
        #expect(await box.count == 1000)
    }

    @Test("A server that never answers is left")
    func noAnswer() async throws {
        try await withFaultServer(.silence) { _, port in
            var settings = try Specimen.settings(port: port)
            settings.stallTimeout = .milliseconds(300)
            let fetcher = try Specimen.fetcher(settings)
            let outcome = try await PieceBox().fetch(Specimen.url(port: port), with: fetcher)
            #expect(outcome.failure?.code == "idle_timeout")
        }
    }

    @Test("A body that drips is left when the time for everything is over")
    func drip() async throws {
        let text = FaultReply(
            "200 OK",
            headers: ["Content-Type: image/jpeg"],
            body: String(repeating: "x", count: 100_000)
        )
        try await withFaultServer(.drip(text, pauseMilliseconds: 20)) { _, port in
            var settings = try Specimen.settings(port: port)
            settings.timeout = .milliseconds(500)
            let fetcher = try Specimen.fetcher(settings)
            let outcome = try await PieceBox().fetch(Specimen.url(port: port), with: fetcher)
            #expect(outcome.failure?.code == "deadline_exceeded")
            #expect(outcome.failure?.failureClass == .transient)
        }
    }

    @Test("A slow store is not taken for a silent server")
    func slowStore() async throws {
        let image = Specimen.image(4_000_000)
        let host = SpecimenHost(image)
        let box = PieceBox()
        try await host.serve { port in
            var settings = try Specimen.settings(port: port)
            settings.parallelRanges = 1
            settings.stallTimeout = .milliseconds(400)
            let outcome = try await Specimen.fetcher(settings).imageFetcher.fetch(
                box.job(Specimen.url(port: port)),
                {
                    // The time of a store that is slower than a server may be; nothing is waited for.
                    try await Task.sleep(for: .milliseconds(600))
                    try await box.keep($0, at: $1, of: $2)
                },
                { await box.read($0) }
            )
            #expect(outcome.isComplete(with: image))
        }
    }

    @Test("A page in place of an image is refused by its type, whatever its bytes")
    func typedPage() async throws {
        let host = SpecimenHost(Self.image, headers: ["Content-Type": "text/html; charset=utf-8"])
        let box = PieceBox()
        #expect(try await Specimen.fetch(from: host, into: box)?.refusal == .fetchTypeRefused)
        #expect(await box.keeps == 0)
    }

    @Test(
        "A page that says it is an image is refused by its first bytes, and not kept",
        arguments: [20, 2000, 2_000_000]
    )
    func disguisedPage(count: Int) async throws {
        let page = Array("<!DOCTYPE html>".utf8) + [UInt8](repeating: 0x20, count: count)
        let host = SpecimenHost(page)
        let box = PieceBox()
        #expect(try await Specimen.fetch(from: host, into: box)?.refusal == .fetchNotAnImage)
        #expect(await box.keeps == 0)
    }

    @Test("A compressed image is refused")
    func compressed() async throws {
        let host = SpecimenHost(Self.image, headers: ["Content-Type": "image/jpeg", "Content-Encoding": "gzip"])
        #expect(try await Specimen.fetch(from: host)?.refusal == .fetchEncodingRefused)
    }

    @Test("Nothing is not an image", arguments: [true, false])
    func empty(knowsRanges: Bool) async throws {
        let host = SpecimenHost([])
        if !knowsRanges { host.forgetRanges() }
        #expect(try await Specimen.fetch(from: host)?.refusal == .fetchEmpty)
    }

    @Test("The smallest images are taken whole", arguments: [3, 63, 64, 65])
    func small(count: Int) async throws {
        let image = Specimen.image(count)
        #expect(try await Specimen.fetch(from: SpecimenHost(image))?.isComplete(with: image) == true)
    }

    @Test("A definite no is one, and shows nothing of the URL", arguments: [401, 403, 404, 410])
    func refused(status: Int) async throws {
        let host = SpecimenHost(Self.image)
        host.change { _, _, answer in
            answer.status = "\(status) No"
            answer.headers = ["Content-Type": "text/html", "Content-Length": "6"]
            answer.body = Array("canary".utf8)[...]
        }
        let outcome = try await Specimen.fetch(from: host)
        #expect(outcome?.failure?.failureClass == .rejected)
        #expect(outcome?.failure?.httpStatus == status)
        #expect(outcome?.words.contains("canary") == false)
        #expect(outcome?.words.contains(Specimen.host) == true)
    }

    @Test("Cancelling ends the work and is no failure")
    func cancelled() async throws {
        let host = SpecimenHost(Self.image)
        let box = PieceBox()
        try await host.serve { port in
            let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
            host.change { _, _, answer in
                answer.cut(to: 1000)
                answer.closes = false
                arrival.yield()
            }
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port))
            await #expect(throws: CancellationError.self) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await box.fetch(Specimen.url(port: port), with: fetcher) }
                    var iterator = arrivals.makeAsyncIterator()
                    await iterator.next()
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
        }
    }
}
