import CardModel
import NIOHTTP1
import Testing

@testable import CardRemote

/// Reading `Content-Range`, and what is there of an image.
@Suite struct ContentRangeTests {
    @Test func `A range with a total is read`() {
        let range = ContentRange("bytes 0-499/1234")
        #expect(range?.bytes == 0..<500)
        #expect(range?.total == 1234)
        #expect(ContentRange("BYTES 1233-1233/1234")?.bytes == 1233..<1234)
    }

    @Test func `A range without a total, and a total without a range, are read`() {
        #expect(ContentRange("bytes 5-9/*")?.bytes == 5..<10)
        #expect(ContentRange("bytes 5-9/*")?.total == nil)
        #expect(ContentRange("bytes */10")?.bytes == nil)
        #expect(ContentRange("bytes */10")?.total == 10)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 0-499", "bytes 0-499/", "bytes 5-4/10", "bytes 0-10/10", "bytes */*",
        "bytes -5/10",
        "bytes 0-/10", "bytes 0-4/+10", "bytes 0-4/10/10", "bytes 0-4-5/10", "items 0-4/10", "bytes=0-4/10",
        "bytes 0-99999999999999999999/*", "bytes 0-9223372036854775807/*", "bytes a-b/10",
        "bytes 0-4/99999999999999999999",
    ])
    func `What contradicts itself is not read`(text: String) {
        #expect(ContentRange(text) == nil)
    }

    /// What is there of an image with these ranges.
    private func progress(_ kept: [Range<Int>], _ version: FetchedVersion? = nil) -> FetchProgress {
        FetchProgress(FetchRequest(address: Redacted(""), stored: kept, version: version))
    }

    @Test func `Ranges that touch or overlap are one`() {
        let progress = self.progress([10..<20, 0..<5, 5..<10, 30..<30])
        #expect(progress.ranges == [0..<20])
        progress.insert(40..<50)
        progress.insert(15..<40)
        #expect(progress.ranges == [0..<50])
        #expect(self.progress([]).ranges == [])
    }

    @Test func `What is missing is what no range holds`() {
        #expect(self.progress([]).missing(upTo: 10) == [0..<10])
        #expect(self.progress([0..<10]).missing(upTo: 10) == [])
        #expect(self.progress([2..<4, 6..<8]).missing(upTo: 10) == [0..<2, 4..<6, 8..<10])
        #expect(self.progress([2..<4, 6..<8]).missing(upTo: 10, besides: 4..<7) == [0..<2, 8..<10])
        #expect(self.progress([0..<4]).missing(upTo: .max) == [4..<Int.max])
        #expect(self.progress([0..<4, 20..<30]).missing(upTo: 10) == [4..<10])
    }

    private static let versions: [(FetchedVersion, FetchedVersion, Int?, Bool)] = [
        (FetchedVersion(validator: "v1", byteCount: 10), FetchedVersion(validator: "v1", byteCount: 10), 10, true),
        (FetchedVersion(validator: "v1", byteCount: nil), FetchedVersion(validator: "v1", byteCount: 10), 10, true),
        (FetchedVersion(validator: "v1", byteCount: 10), FetchedVersion(validator: "v1", byteCount: nil), 10, true),
        (FetchedVersion(validator: "v1", byteCount: 10), FetchedVersion(validator: "v1", byteCount: 11), 11, false),
        (FetchedVersion(validator: "v1", byteCount: 10), FetchedVersion(validator: "v2", byteCount: nil), nil, false),
        (FetchedVersion(validator: "v1", byteCount: 10), FetchedVersion(validator: nil, byteCount: 10), 10, false),
        (FetchedVersion(validator: nil, byteCount: 10), FetchedVersion(validator: nil, byteCount: nil), nil, false),
    ]

    @Test(arguments: versions)
    func `What is there counts as long as validator and size are the same, as far as the size is known`(
        own: FetchedVersion,
        other: FetchedVersion,
        byteCount: Int?,
        isSame: Bool
    ) {
        let progress = self.progress([0..<5], own)
        progress.adopt(other)
        #expect(progress.ranges == (isSame ? [0..<5] : []))
        #expect(progress.version == FetchedVersion(validator: other.validator, byteCount: byteCount))
    }

    /// What a 206 with these headers brings for a request for the bytes 1000 to 200999; `nil` if it is not believed.
    private func answer(
        _ contentRange: String,
        length: Int?,
        _ headers: [(String, String)] = [],
        of version: FetchedVersion = FetchedVersion(validator: #""v1""#, byteCount: nil)
    ) -> Range<Int>? {
        var fields = HTTPHeaders([("Content-Range", contentRange)] + headers)
        if let length { fields.add(name: "Content-Length", value: "\(length)") }
        let response = FetchResponse(206, fields, now: Timestamp(millisecondsSinceEpoch: 0))
        return response.range(asked: ImagePart(range: 1000..<201_000, version: version))?.bytes
    }

    @Test func `A part is the one that was asked for, or its beginning`() {
        #expect(self.answer("bytes 1000-200999/300000", length: 200_000) == 1000..<201_000)
        #expect(self.answer("bytes 1000-200999/300000", length: nil) == 1000..<201_000)
        #expect(self.answer("bytes 1000-66535/300000", length: 65_536) == 1000..<66_536)
        #expect(self.answer("bytes 1000-1004/1005", length: 5) == 1000..<1005)
    }

    @Test(arguments: [
        ("bytes 999-200998/300000", 200_000), ("bytes 1001-200999/300000", 199_999),
        ("bytes 1000-201000/300000", 200_001), ("bytes 1000-200999/300000", 200_001),
        ("bytes 1000-200999/300000", 199_999), ("bytes 1000-200999/*", 200_000), ("bytes */300000", 200_000),
        ("bytes 1000-66534/300000", 65_535), ("bytes 0-199999/300000", 200_000), ("junk", 200_000), ("", 200_000),
    ])
    func `A part of other bytes, of another length, in crumbs, or of who knows how much is not believed`(
        contentRange: String,
        length: Int
    ) {
        #expect(self.answer(contentRange, length: length) == nil)
    }

    @Test func `A part of another version, or one of several, is not believed`() {
        let range = "bytes 1000-200999/300000"
        #expect(self.answer(range, length: 200_000, [("ETag", #""v1""#)]) != nil)
        #expect(self.answer(range, length: 200_000, [("ETag", #""v2""#)]) == nil)
        #expect(self.answer(range, length: 200_000, [("ETag", #"W/"v1""#)]) == nil)
        #expect(self.answer(range, length: 200_000, [("Content-Type", "multipart/byteranges; boundary=x")]) == nil)
        #expect(self.answer(range, length: 200_000, of: FetchedVersion(validator: "a", byteCount: 300_001)) == nil)
    }
}
