import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

@testable import IDCardFetch

/// Large images, in several ranges at a time.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2))))
struct ParallelTests {
    private static let mebibyte = 1_048_576
    private static let image = Specimen.image(5 * mebibyte + 12_345)

    @Test("Ranges are joined in order, and every byte comes once", arguments: [2, 3, 8])
    func joined(ranges: Int) async throws {
        let host = SpecimenHost(Self.image)
        let box = PieceBox()
        let outcome = try await Specimen.fetch(from: host, into: box) { $0.parallelRanges = ranges }
        #expect(outcome?.isComplete(with: Self.image) == true)
        #expect(await box.joined == Self.image)
        #expect(host.received.count == 6)
        #expect(host.totalSent == Self.image.count)
        #expect(host.received.dropFirst().allSatisfy { $0.header("If-Range") == #""v1""# })
    }

    @Test("One range at a time is one request without a range")
    func single() async throws {
        let host = SpecimenHost(Self.image)
        let outcome = try await Specimen.fetch(from: host) { $0.parallelRanges = 1 }
        #expect(outcome?.isComplete(with: Self.image) == true)
        #expect(host.ranges == ["-"])
    }

    @Test("After cuts in several ranges only the missing bytes come")
    func cuts() async throws {
        let host = SpecimenHost(Self.image)
        let box = PieceBox()
        try await host.serve { port in
            host.change { number, _, answer in if number < 3 { answer.cut(to: 500_000 + number) } }
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port))
            let first = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(first.failure?.code == "connection_closed")
            #expect(await box.count == host.totalSent)
            let second = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(second.isComplete(with: Self.image))
        }
        #expect(host.totalSent == Self.image.count)
        #expect(await box.joined == Self.image)
    }

    @Test("A version that changes in mid-flight begins anew, and nothing of both is joined", arguments: 1...5)
    func changed(at number: Int) async throws {
        let host = SpecimenHost(Self.image)
        let other = Specimen.image(Self.image.count, seed: 7)
        let box = PieceBox()
        let isReplaced = Mutex(false)
        host.change { current, _, answer in
            guard current >= number, !isReplaced.withLock({ $0 }) else { return }
            isReplaced.withLock { $0 = true }
            host.replace(other, headers: ["ETag": #""v2""#])
            // This request came when the image had changed: its `If-Range` does not hold.
            answer.status = "200 OK"
            answer.headers = ["ETag": #""v2""#, "Content-Length": "\(other.count)"]
            answer.body = other[...]
        }
        let outcome = try await Specimen.fetch(from: host, into: box)
        #expect(outcome?.isComplete(with: other) == true)
        #expect(await box.joined == other)
    }

    @Test("A range of another version, not announced by the status, is noticed by its tag")
    func changedTag() async throws {
        let host = SpecimenHost(Self.image)
        let other = Specimen.image(Self.image.count, seed: 7)
        host.change { number, request, answer in
            guard number == 3, let range = answer.headers["Content-Range"].flatMap({ ContentRange($0) })?.bytes else {
                return
            }
            answer.headers["ETag"] = #""v2""#
            answer.body = other[range]
        }
        let box = PieceBox()
        let outcome = try await Specimen.fetch(from: host, into: box)
        #expect(outcome?.isComplete(with: Self.image) == true)
        #expect(await box.joined == Self.image)
    }

    @Test("A version that changes with every request comes to an end")
    func flapping() async throws {
        let host = SpecimenHost(Self.image)
        host.change { number, _, answer in answer.headers["ETag"] = "\"v\(number)\"" }
        let outcome = try await Specimen.fetch(from: host)
        #expect(outcome?.failure?.code == "fetch_version_changed")
        #expect(outcome?.failure?.failureClass == .transient)
    }

    @Test(
        "A server that answers with other bytes than asked for is asked for everything at once",
        arguments: [
            "bytes 1-1048576/5255225", "bytes 0-1048576/5255225", "bytes 0-1048575/*", "bytes 0-9/5255225", "junk", "",
            "bytes */5255225",
        ]
    )
    func wrongRange(text: String) async throws {
        let host = SpecimenHost(Self.image)
        host.change { number, _, answer in if number == 0 { answer.headers["Content-Range"] = text } }
        let outcome = try await Specimen.fetch(from: host)
        #expect(outcome?.isComplete(with: Self.image) == true)
        #expect(host.ranges == ["bytes=0-1048575", "-"])
    }

    @Test("Several ranges in one answer are not taken apart, but everything is asked for at once")
    func multipart() async throws {
        let host = SpecimenHost(Self.image)
        host.change { number, _, answer in
            if number == 0 { answer.headers["Content-Type"] = "multipart/byteranges; boundary=x" }
        }
        let outcome = try await Specimen.fetch(from: host)
        #expect(outcome?.isComplete(with: Self.image) == true)
        #expect(host.ranges == ["bytes=0-1048575", "-"])
    }

    @Test("A part although everything was asked for comes to an end")
    func partAlways() async throws {
        let host = SpecimenHost(Self.image)
        host.change { _, _, answer in
            answer.status = "206 Partial Content"
            answer.headers["Content-Range"] = "bytes 1-9/10"
        }
        let outcome = try await Specimen.fetch(from: host)
        #expect(outcome?.failure?.code == "fetch_range_unusable")
    }

    @Test("A server that sends less than asked for is asked for the rest")
    func shortRanges() async throws {
        let host = SpecimenHost(Self.image)
        host.change { _, _, answer in
            guard let range = answer.headers["Content-Range"].flatMap({ ContentRange($0) })?.bytes else { return }
            let count = min(range.count, 400_000)
            answer.body = answer.body.prefix(count)
            answer.headers["Content-Length"] = "\(count)"
            let last = range.lowerBound + count - 1
            answer.headers["Content-Range"] = "bytes \(range.lowerBound)-\(last)/\(Self.image.count)"
        }
        let box = PieceBox()
        let outcome = try await Specimen.fetch(from: host, into: box)
        #expect(outcome?.isComplete(with: Self.image) == true)
        #expect(await box.joined == Self.image)
        #expect(host.totalSent == Self.image.count)
    }

    @Test("Never more ranges than allowed come at a time")
    func bound() async throws {
        let host = SpecimenHost(Self.image)
        let box = WatchedBox()
        try await host.serve { port in
            var settings = try Specimen.settings(port: port)
            settings.parallelRanges = 2
            let fetcher = try Specimen.fetcher(settings)
            let outcome = try await fetcher.imageFetcher.fetch(
                box.box.job(Specimen.url(port: port)),
                { try await box.keep($0, at: $1, of: $2) },
                { await box.box.read($0) }
            )
            #expect(outcome.isComplete(with: Self.image))
        }
        #expect(box.most <= 2)
        #expect(host.totalSent == Self.image.count)
    }

    @Test("After a failure no further range is begun, and those under way come to their end")
    func failing() async throws {
        let host = SpecimenHost(Self.image)
        host.change { number, _, answer in if number == 0 { answer.cut(to: 100_000) } }
        let box = PieceBox()
        let outcome = try await Specimen.fetch(from: host, into: box)
        #expect(outcome?.failure?.code == "connection_closed")
        #expect(host.received.count == 3)
        #expect(await box.count == 100_000 + 2 * Self.mebibyte)
    }

    @Test("A busy server in one range leaves what the others bring")
    func busy() async throws {
        let host = SpecimenHost(Self.image)
        let box = PieceBox()
        try await host.serve { port in
            host.change { number, _, answer in
                guard number == 1 else { return }
                answer.status = "503 Service Unavailable"
                answer.headers = ["Retry-After": "4", "Content-Length": "0"]
                answer.body = []
            }
            let fetcher = try Specimen.fetcher(Specimen.settings(port: port))
            let first = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(first.failure?.failureClass == .throttled)
            #expect(first.failure?.retryAfter == .seconds(4))
            #expect(await box.count == host.totalSent)
            let second = try await box.fetch(Specimen.url(port: port), with: fetcher)
            #expect(second.isComplete(with: Self.image))
        }
        #expect(host.totalSent == Self.image.count)
    }
}

/// Counts how many pieces are being kept at one moment.
private final class WatchedBox: Sendable {
    let box = PieceBox()
    private let state = Mutex((now: 0, most: 0))

    var most: Int { self.state.withLock { $0.most } }

    func keep(_ bytes: Data, at offset: Int, of version: FetchedVersion) async throws {
        self.state.withLock { state in
            state.now += 1
            state.most = max(state.most, state.now)
        }
        defer { self.state.withLock { $0.now -= 1 } }
        // Others get their turn while this one is being kept.
        for _ in 0..<100 { await Task.yield() }
        try await self.box.keep(bytes, at: offset, of: version)
    }
}
