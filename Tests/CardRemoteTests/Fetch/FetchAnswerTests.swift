import CardModel
import NIOHTTP1
import Testing

@testable import CardRemote

/// What is read out of the head of an answer, and what is there of an image.
@Suite struct FetchAnswerTests {
    private typealias Header = (name: String, value: String)

    private static let dates: [Header] = [("Last-Modified", earlier), ("Date", date)]
    private static let date = "Mon, 01 Jan 2024 00:00:00 GMT"
    private static let earlier = "Sun, 31 Dec 2023 23:59:59 GMT"

    private func head(_ headers: [Header], status: Int = 200) -> FetchResponse {
        let fields = headers.map { ($0.name, $0.value) }
        return FetchResponse(status, HTTPHeaders(fields), now: Timestamp(millisecondsSinceEpoch: 1_704_067_200_000))
    }

    // MARK: Ranges

    @Test func `A range is read, with or without a total, and a total without a range`() {
        let texts: [(String, Range<Int>?, Int?)] = [
            ("bytes 0-499/1234", 0..<500, 1234), ("BYTES 1233-1233/1234", 1233..<1234, 1234),
            ("bytes 5-9/*", 5..<10, nil), ("bytes */10", nil, 10),
        ]
        for (text, bytes, total) in texts {
            #expect(ContentRange(text)?.bytes == bytes, "\(text)")
            #expect(ContentRange(text)?.total == total, "\(text)")
        }
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 0-499", "bytes 0-499/", "bytes 5-4/10", "bytes 0-10/10", "bytes */*",
        "bytes -5/10", "bytes 0-/10", "bytes 0-4/+10", "bytes 0-4/10/10", "bytes 0-4-5/10", "items 0-4/10",
        "bytes=0-4/10", "bytes 0-99999999999999999999/*", "bytes 0-9223372036854775807/*", "bytes a-b/10",
        "bytes 0-4/99999999999999999999",
    ])
    func `What contradicts itself is not read`(text: String) {
        #expect(ContentRange(text) == nil)
    }

    /// What a 206 brings for a request for the bytes 1000 to 200999; `nil` if it is not believed.
    private func part(_ range: String, _ length: Int?, _ headers: [Header] = [], size: Int? = nil) -> Range<Int>? {
        let lengths: [Header] = length.map { [("Content-Length", "\($0)")] } ?? []
        let version = FetchedVersion(validator: #""v1""#, byteCount: size)
        return self.head([("Content-Range", range)] + lengths + headers, status: 206)
            .range(asked: ImagePart(range: 1000..<201_000, version: version))?.bytes
    }

    @Test func `A part is the one that was asked for, or its beginning, of the same version`() {
        let whole = "bytes 1000-200999/300000"
        #expect(self.part(whole, 200_000) == 1000..<201_000)
        #expect(self.part(whole, nil) == 1000..<201_000)
        #expect(self.part("bytes 1000-66535/300000", 65_536) == 1000..<66_536)
        #expect(self.part("bytes 1000-1004/1005", 5) == 1000..<1005)
        #expect(self.part(whole, 200_000, [("ETag", #""v1""#)]) != nil)
        #expect(self.part(whole, 200_000, [("ETag", #""v2""#)]) == nil)
        #expect(self.part(whole, 200_000, [("ETag", #"W/"v1""#)]) == nil)
        #expect(self.part(whole, 200_000, [("Content-Type", "multipart/byteranges; boundary=x")]) == nil)
        #expect(self.part(whole, 200_000, size: 300_001) == nil)
    }

    @Test(arguments: [
        ("bytes 999-200998/300000", 200_000), ("bytes 1001-200999/300000", 199_999),
        ("bytes 1000-201000/300000", 200_001), ("bytes 1000-200999/300000", 200_001),
        ("bytes 1000-200999/300000", 199_999), ("bytes 1000-200999/*", 200_000), ("bytes */300000", 200_000),
        ("bytes 1000-66534/300000", 65_535), ("bytes 0-199999/300000", 200_000), ("junk", 200_000), ("", 200_000),
    ])
    func `A part of other bytes, another length, in crumbs, or of who knows how much is not believed`(
        part: (String, Int)
    ) {
        #expect(self.part(part.0, part.1) == nil)
    }

    // MARK: Validators and statuses

    @Test func `A strong tag is the validator; without a tag the date is, if it is older than the answer`() {
        #expect(self.head([("ETag", #""v1""#)] + Self.dates).validator == #""v1""#)
        #expect(self.head(Self.dates).validator == Self.earlier)
        #expect(self.head([("Last-Modified", Self.date), ("Date", Self.date)]).validator == nil)
        #expect(self.head([("Last-Modified", Self.earlier)]).validator == nil)
        #expect(self.head([("ETag", #""a""#), ("ETag", #""b""#)] + Self.dates).validator == nil)
    }

    @Test(arguments: [
        #"W/"v1""#, "v1", #"""#, "", "\"\u{7F}\"", "\"\u{E9}\"", "\"" + String(repeating: "x", count: 300) + "\"",
    ])
    func `A weak, unquoted or unsendable tag is none, and the date does not stand in for it`(tag: String) {
        #expect(self.head([("ETag", tag)] + Self.dates).validator == nil)
    }

    @Test(arguments: [
        (400, FailureClass.rejected, "fetch_status_refused"), (401, .rejected, "fetch_forbidden"),
        (403, .rejected, "fetch_forbidden"), (404, .rejected, "fetch_not_found"), (410, .rejected, "fetch_gone"),
        (408, .transient, "fetch_server_error"), (425, .transient, "fetch_server_error"),
        (429, .throttled, "fetch_throttled"), (500, .transient, "fetch_server_error"),
        (502, .transient, "fetch_server_error"), (503, .transient, "fetch_server_error"),
        (504, .transient, "fetch_server_error"), (204, .rejected, "fetch_status_refused"),
        (304, .rejected, "fetch_status_refused"),
    ])
    func `A status has its class and its code, and a host that says when to come again is obeyed`(
        status: Int,
        failureClass: FailureClass,
        code: String
    ) {
        let faults = FetchFaults(label: Specimen.host, usesTLS: true)
        let failure = faults.failure(for: self.head([], status: status))
        #expect(failure.kind == "\(failureClass) \(code)")
        #expect(failure.httpStatus == status)
        #expect(failure.retryAfter == nil)
        let later = faults.failure(for: self.head([("Retry-After", "7")], status: status))
        #expect(later.failureClass == (status == 503 ? .throttled : failureClass))
        #expect(later.retryAfter == .seconds(7))
    }

    // MARK: What is there

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

    @Test func `What is there counts as long as validator and size are the same, as far as the size is known`() {
        let versions: [(own: (String?, Int?), other: (String?, Int?), byteCount: Int?, isSame: Bool)] = [
            (("v1", 10), ("v1", 10), 10, true), (("v1", nil), ("v1", 10), 10, true),
            (("v1", 10), ("v1", nil), 10, true), (("v1", 10), ("v1", 11), 11, false),
            (("v1", 10), ("v2", nil), nil, false), (("v1", 10), (nil, 10), 10, false),
            ((nil, 10), (nil, nil), nil, false),
        ]
        for (own, other, byteCount, isSame) in versions {
            let progress = self.progress([0..<5], FetchedVersion(validator: own.0, byteCount: own.1))
            progress.adopt(FetchedVersion(validator: other.0, byteCount: other.1))
            #expect(progress.ranges == (isSame ? [0..<5] : []), "\(own) and \(other)")
            #expect(progress.version == FetchedVersion(validator: other.0, byteCount: byteCount), "\(own) and \(other)")
        }
    }
}
