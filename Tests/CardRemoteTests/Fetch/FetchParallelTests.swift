import CardModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CardRemote

/// Large images, in several ranges at a time.
@Suite(.timeLimit(.minutes(5))) struct FetchParallelTests {
    private static let mebibyte = 1_048_576
    private static let image = Specimen.image(5 * mebibyte + 12_345)
    private let host = SpecimenHost(Self.image)
    private static let rests = [
        "bytes=1048576-2097151", "bytes=2097152-3145727", "bytes=3145728-4194303", "bytes=4194304-5242879",
        "bytes=5242880-5255224",
    ]

    @Test func `Ranges are joined in order, and every byte is kept once`() async throws {
        try await self.host.expectImage(keptOnce: true)
        #expect(self.host.ranges.first == "-")
        #expect(Set(self.host.ranges.dropFirst()) == Set(Self.rests))
        #expect(self.host.received.count == 6)
        #expect(self.host.received.dropFirst().allSatisfy { $0.header("If-Range") == #""v1""# })
    }

    @Test(arguments: ["Accept-Ranges", "ETag"])
    func `a host that names no ranges, or has no validator, is asked once`(header: String) async throws {
        let host = SpecimenHost(Self.image, headers: SpecimenHost.headers.filter { $0.key != header })
        try await host.expectImage()
        #expect(host.ranges == ["-"])
    }

    @Test func `After cuts in several ranges only the missing bytes come`() async throws {
        self.host.change { number, _, answer in if number < 3 { answer.cut(to: 500_000 + number) } }
        try await self.host.expectImage(attempts: 2, keptOnce: true) {
            #expect($0.failure?.code == "connection_closed")
        }
    }

    @Test(arguments: 1...5)
    func `A version that changes while it comes begins again, and nothing of both is joined`(number: Int) async throws {
        let other = Specimen.image(Self.image.count, seed: 7)
        let isReplaced = Mutex(false)
        self.host.change { current, _, answer in
            guard current >= number, !isReplaced.withLock({ $0 }) else { return }
            isReplaced.withLock { $0 = true }
            self.host.replace(other, headers: ["ETag": #""v2""#])
            // This request came when the image had changed: its `If-Range` does not hold.
            answer.status = "200 OK"
            answer.headers = ["ETag": #""v2""#, "Content-Length": "\(other.count)"]
            answer.body = other[...]
        }
        try await self.host.expectImage()
        #expect(await self.host.box.version?.validator == #""v2""#)
    }

    @Test func `A version that changes with every request is taken whole at the last`() async throws {
        self.host.change { number, _, answer in answer.headers["ETag"] = "\"v\(number)\"" }
        try await self.host.expectImage()
        #expect(self.host.ranges.filter { $0 == "-" }.count == 2)
    }

    @Test(
        arguments: [
            // What else is not believed is a table of `FetchAnswerTests`.
            { $0.headers["Content-Range"] = "bytes 1-1048576/5255225" },
            { $0.headers["Content-Range"] = "bytes 1048576-2097151/5255226" },
            { $0.headers["Content-Range"] = "junk" }, { $0.headers["ETag"] = #""v2""# },
            { $0.become("302 Found") }, { $0.become("403 Forbidden") }, { $0.become("404 Not Found") },
            { $0.become("416 Range Not Satisfiable") },
        ] as [@Sendable (inout SpecimenHost.Answer) -> Void]
    )
    func `A host that refuses a range, or answers with other bytes, is asked for everything at once`(
        spoil: @escaping @Sendable (inout SpecimenHost.Answer) -> Void
    ) async throws {
        let other = Specimen.image(Self.image.count, seed: 7)
        self.host.change { _, request, answer in
            guard request.header("Range") == Self.rests[0] else { return }
            // What is not believed must not be kept.
            answer.body = other[1_048_576...2_097_151]
            spoil(&answer)
        }
        try await self.host.expectImage(keptOnce: true)
        // A part that was given up may still reach the host afterwards.
        #expect(self.host.ranges.count { $0 == "-" } == 2)
    }

    @Test func `A host that only says that it knows ranges is asked for everything at once`() async throws {
        self.host.forgetRanges()
        try await self.host.expectImage(keptOnce: true)
    }

    @Test func `A part although everything was asked for comes to an end`() async throws {
        self.host.change { _, _, answer in
            answer.status = "206 Partial Content"
            answer.headers["Content-Range"] = "bytes 1-9/10"
        }
        #expect(try await self.host.fetch().failure?.kind == "transient fetch_version_changed")
        #expect(self.host.received.count == 1)
    }

    @Test func `A host that sends less than asked for is asked for the rest`() async throws {
        self.host.change { _, _, answer in
            guard let range = answer.headers["Content-Range"].flatMap({ ContentRange($0) })?.bytes else { return }
            let count = min(range.count, 400_000)
            answer.body = answer.body.prefix(count)
            answer.headers["Content-Length"] = "\(count)"
            let last = range.lowerBound + count - 1
            answer.headers["Content-Range"] = "bytes \(range.lowerBound)-\(last)/\(Self.image.count)"
        }
        try await self.host.expectImage(keptOnce: true)
        #expect(self.host.ranges.filter { $0 == "-" }.count == 1)
    }

    @Test func `Never more ranges than allowed come at a time`() async throws {
        let host = SpecimenHost(Specimen.image(12 * Self.mebibyte))
        let state = Mutex((now: 0, most: 0))
        // Nothing is kept before four ranges have come this far, however slowly the machine lets them.
        let four = Gate()
        try await host.serve { port in
            let request = FetchRequest(address: Redacted(Specimen.url(port: port)), stored: [], version: nil)
            let outcome = try await Specimen.withFetcher(Specimen.settings(port: port)) { fetcher in
                try await fetcher.fetch(request) { bytes, offset, version in
                    let now = state.withLock { state in
                        state = (state.now + 1, max(state.most, state.now + 1))
                        return state.now
                    }
                    defer { state.withLock { $0.now -= 1 } }
                    if now == 4 { four.open() }
                    await four.pass()
                    // A fifth gets its turn while these are being kept.
                    for _ in 0..<100 { await Task.yield() }
                    try await host.box.keep(bytes, at: offset, of: version)
                }
            }
            #expect(outcome.isFetched)
        }
        #expect(state.withLock { $0.most } == 4)
        // Ranges reuse connections as these become free.
        #expect(host.connections < host.received.count)
        #expect(await host.box.image?.count == 12 * Self.mebibyte)
    }

    @Test func `After a failure no further range begins, and those under way come to their end`() async throws {
        let host = SpecimenHost(Specimen.image(20 * Self.mebibyte))
        host.change { number, _, answer in if number == 1 { answer.cut(to: 0) } }
        #expect(try await host.fetch().failure?.code == "connection_closed")
        #expect(host.received.count < 20)
        #expect(await host.box.count % Self.mebibyte == 0)
        try await host.expectImage(keptOnce: true)
    }

    @Test func `A busy host in one range leaves what the others bring`() async throws {
        self.host.change { number, _, answer in
            if number == 1 { answer.become("503 Service Unavailable", ["Retry-After": "4"]) }
        }
        try await self.host.expectImage(attempts: 2, keptOnce: true) { first in
            #expect(first.failure?.failureClass == .throttled)
            #expect(first.failure?.retryAfter == .seconds(4))
            #expect(await self.host.box.count >= 3 * Self.mebibyte)
        }
    }
}
