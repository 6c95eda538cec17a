import IDCardCore
import NIOHTTP1
import Testing

@testable import IDCardFetch

/// Reading `Content-Range`, and planning ranges.
struct ContentRangeTests {
    @Test("A range with a total is read")
    func range() {
        let range = ContentRange("bytes 0-499/1234")
        #expect(range?.bytes == 0..<500)
        #expect(range?.total == 1234)
        #expect(ContentRange("BYTES 1233-1233/1234")?.bytes == 1233..<1234)
    }

    @Test("A range without a total, and a total without a range, are read")
    func stars() {
        #expect(ContentRange("bytes 5-9/*")?.bytes == 5..<10)
        #expect(ContentRange("bytes 5-9/*")?.total == nil)
        #expect(ContentRange("bytes */10")?.bytes == nil)
        #expect(ContentRange("bytes */10")?.total == 10)
    }

    @Test(
        "What contradicts itself is not read",
        arguments: [
            "", "bytes", "bytes ", "bytes 0-499", "bytes 0-499/", "bytes 5-4/10", "bytes 0-10/10", "bytes */*",
            "bytes -5/10",
            "bytes 0-/10", "bytes 0-4/+10", "bytes 0-4/10/10", "bytes 0-4-5/10", "items 0-4/10", "bytes=0-4/10",
            "bytes 0-99999999999999999999/*", "bytes 0-9223372036854775807/*", "bytes a-b/10",
            "bytes 0-4/99999999999999999999",
        ]
    )
    func malformed(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test("Ranges that touch or overlap are one")
    func joined() {
        #expect(RangePlan.joined([10..<20, 0..<5, 5..<10, 15..<18, 30..<30]) == [0..<20])
        #expect(RangePlan.joined([]) == [])
    }

    @Test("What is missing is what no range holds")
    func missing() {
        #expect(RangePlan.missing(from: [], upTo: 10) == [0..<10])
        #expect(RangePlan.missing(from: [0..<10], upTo: 10) == [])
        #expect(RangePlan.missing(from: [2..<4, 6..<8], upTo: 10) == [0..<2, 4..<6, 8..<10])
        #expect(RangePlan.missing(from: [0..<4], upTo: .max) == [4..<Int.max])
        #expect(RangePlan.missing(from: [0..<4, 20..<30], upTo: 10) == [4..<10])
    }

    @Test("Ranges are cut to a length, in order")
    func cut() {
        #expect(RangePlan.cut([0..<5, 10..<11], into: 2) == [0..<2, 2..<4, 4..<5, 10..<11])
        #expect(RangePlan.cut([0..<5], into: 5) == [0..<5])
        #expect(RangePlan.cut([5..<Int.max], into: Int.max) == [5..<Int.max])
    }

    /// What a 206 with these headers is for a request for the bytes 1000 to 200999; `nil` if it is not believed.
    private func answer(_ contentRange: String, length: Int?, type: String = "image/jpeg") async throws -> Range<Int>? {
        let target = try FetchTarget("https://images.example.com/", maximumLength: 100)
        let resolver = HostResolver { _ in [.v4(0x0101_0101)] }
        let endpoint = try await CheckedEndpoint(target, label: "host", rules: AddressRules(), resolver: resolver)
        var headers = HTTPHeaders([("Content-Range", contentRange), ("Content-Type", type)])
        if let length { headers.add(name: "Content-Length", value: "\(length)") }
        let head = HTTPResponseHead(version: .http1_1, status: .partialContent, headers: headers)
        let facts = ResponseFacts(head, now: Timestamp(millisecondsSinceEpoch: 0))
        let request = FetchRequest(endpoint: endpoint, range: 1000..<201_000)
        return try? RangeAnswer.check(facts, for: request).0
    }

    @Test("A part is the one that was asked for, or its beginning")
    func parts() async throws {
        #expect(try await self.answer("bytes 1000-200999/300000", length: 200_000) == 1000..<201_000)
        #expect(try await self.answer("bytes 1000-200999/300000", length: nil) == 1000..<201_000)
        #expect(try await self.answer("bytes 1000-66535/300000", length: 65_536) == 1000..<66_536)
        #expect(try await self.answer("bytes 1000-1004/1005", length: 5) == 1000..<1005)
    }

    @Test(
        "A part of other bytes, of another length, in crumbs, or of who knows how much is not believed",
        arguments: [
            ("bytes 999-200998/300000", 200_000), ("bytes 1001-200999/300000", 199_999),
            ("bytes 1000-201000/300000", 200_001), ("bytes 1000-200999/300000", 200_001),
            ("bytes 1000-200999/300000", 199_999), ("bytes 1000-200999/*", 200_000), ("bytes */300000", 200_000),
            ("bytes 1000-66534/300000", 65_535), ("bytes 0-199999/300000", 200_000),
        ]
    )
    func otherParts(contentRange: String, length: Int) async throws {
        #expect(try await self.answer(contentRange, length: length) == nil)
        #expect(try await self.answer("bytes 1000-200999/300000", length: 200_000, type: "multipart/byteranges") == nil)
    }
}
