import IDCardCore
import IDCardPipeline
import NIOHTTP1
import Testing

@testable import IDCardFetch

/// What is read out of the head of an answer.
struct ResponseFactsTests {
    private func facts(_ headers: [(String, String)], status: HTTPResponseStatus = .ok) -> ResponseFacts {
        ResponseFacts(
            HTTPResponseHead(version: .http1_1, status: status, headers: HTTPHeaders(headers)),
            now: Timestamp(millisecondsSinceEpoch: 1_704_067_200_000)
        )
    }

    private static let date = "Mon, 01 Jan 2024 00:00:00 GMT"
    private static let earlier = "Sun, 31 Dec 2023 23:59:59 GMT"

    @Test("A strong entity tag is the validator, whatever the date")
    func strongTag() {
        let facts = self.facts([("ETag", #""v1""#), ("Last-Modified", Self.earlier), ("Date", Self.date)])
        #expect(facts.validator == #""v1""#)
    }

    @Test("Without a tag the date is, if it is older than the answer")
    func lastModified() {
        #expect(self.facts([("Last-Modified", Self.earlier), ("Date", Self.date)]).validator == Self.earlier)
        #expect(self.facts([("Last-Modified", Self.date), ("Date", Self.date)]).validator == nil)
        #expect(self.facts([("Last-Modified", Self.earlier)]).validator == nil)
    }

    @Test(
        "A weak, unquoted, doubled or unsendable tag is none, and the date does not stand in for it",
        arguments: [
            #"W/"v1""#, "v1", #"""#, "", "\"\u{7F}\"", "\"\u{E9}\"", "\"" + String(repeating: "x", count: 300) + "\"",
        ]
    )
    func unusableTags(tag: String) {
        let date = [("Last-Modified", Self.earlier), ("Date", Self.date)]
        #expect(self.facts([("ETag", tag)] + date).validator == nil)
        #expect(self.facts([("ETag", #""a""#), ("ETag", #""b""#)] + date).validator == nil)
    }

    @Test("Answers without validator are never the same version")
    func unvalidated() {
        let first = FetchedVersion(self.facts([]), byteCount: 10)
        let second = FetchedVersion(self.facts([]), byteCount: 10)
        #expect(first != second)
        #expect(!first.isSame(as: second))
        #expect(first.ifRange == nil)
        #expect(FetchedVersion(self.facts([("ETag", #""v1""#)]), byteCount: 10).ifRange == #""v1""#)
    }

    @Test("A version is the same by its validator and by its length as far as it is known")
    func sameVersion() {
        let version = FetchedVersion(validator: #""v1""#, byteCount: 10)
        #expect(version.isSame(as: FetchedVersion(validator: #""v1""#, byteCount: nil)))
        #expect(!version.isSame(as: FetchedVersion(validator: #""v1""#, byteCount: 11)))
        #expect(!version.isSame(as: FetchedVersion(validator: #""v2""#, byteCount: 10)))
        #expect(
            !FetchedVersion(validator: nil, byteCount: 10).isSame(as: FetchedVersion(validator: nil, byteCount: 10))
        )
    }

    @Test(
        "Images and types that say nothing pass, in any case and with parameters",
        arguments: [
            "image/jpeg", "IMAGE/PNG", "image/heic; q=1", "application/octet-stream", "binary/octet-stream",
            "Image/JPEG ;charset=utf-8",
        ]
    )
    func types(type: String) throws {
        try self.facts([("Content-Type", type)]).checkContent(label: "host")
        try self.facts([]).checkContent(label: "host")
    }

    @Test(
        "What says that it is something else is refused",
        arguments: ["text/html", "text/plain; charset=utf-8", "application/json", "application/pdf", "imagejpeg", "x"]
    )
    func otherTypes(type: String) {
        let refusal = #expect(throws: FetchRefusal.self) {
            try self.facts([("Content-Type", type)]).checkContent(label: "host")
        }
        #expect(refusal?.code == .fetchTypeRefused)
    }

    @Test(
        "What is compressed or otherwise encoded is refused",
        arguments: [
            ("Content-Encoding", "gzip"), ("Content-Encoding", "identity, br"), ("Content-Encoding", "aes128gcm"),
            ("Transfer-Encoding", "gzip, chunked"), ("transfer-encoding", "deflate"),
        ]
    )
    func encodings(name: String, value: String) {
        let refusal = #expect(throws: FetchRefusal.self) {
            try self.facts([(name, value)]).checkContent(label: "host")
        }
        #expect(refusal?.code == .fetchEncodingRefused)
    }

    @Test("The identity and chunks are no encoding of the image")
    func identity() throws {
        let headers = [("Content-Encoding", "Identity"), ("Transfer-Encoding", "Chunked")]
        try self.facts(headers).checkContent(label: "host")
    }

    @Test(
        "A status has its class and its code",
        arguments: [
            (400, FailureClass.rejected, "fetch_status_refused"), (401, .rejected, "fetch_forbidden"),
            (403, .rejected, "fetch_forbidden"), (404, .rejected, "fetch_not_found"), (410, .rejected, "fetch_gone"),
            (408, .transient, "fetch_server_error"), (425, .transient, "fetch_server_error"),
            (429, .throttled, "fetch_throttled"), (500, .transient, "fetch_server_error"),
            (502, .transient, "fetch_server_error"), (503, .transient, "fetch_server_error"),
            (504, .transient, "fetch_server_error"), (204, .rejected, "fetch_status_refused"),
            (304, .rejected, "fetch_status_refused"),
        ]
    )
    func statuses(status: Int, failureClass: FailureClass, code: String) {
        let faults = FetchFaults(label: "images.example.com", usesTLS: true)
        let failure = faults.failure(for: self.facts([], status: HTTPResponseStatus(statusCode: status)))
        #expect(failure.failureClass == failureClass)
        #expect(failure.code == code)
        #expect(failure.httpStatus == status)
        #expect(failure.retryAfter == nil)
    }

    @Test("A server that says when to come again is obeyed", arguments: [429, 503])
    func retryAfter(status: Int) {
        let facts = self.facts([("Retry-After", "7")], status: HTTPResponseStatus(statusCode: status))
        let failure = FetchFaults(label: "images.example.com", usesTLS: true).failure(for: facts)
        #expect(failure.failureClass == .throttled)
        #expect(failure.retryAfter == .seconds(7))
    }
}
