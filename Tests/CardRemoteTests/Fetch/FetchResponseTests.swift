import CardModel
import NIOHTTP1
import Testing

@testable import CardRemote

/// What is read out of the head of an answer.
@Suite struct FetchResponseTests {
    private func facts(_ headers: [(String, String)], status: Int = 200) -> FetchResponse {
        FetchResponse(status, HTTPHeaders(headers), now: Timestamp(millisecondsSinceEpoch: 1_704_067_200_000))
    }

    private let faults = FetchFaults(label: "images.example.com", usesTLS: true)

    private static let date = "Mon, 01 Jan 2024 00:00:00 GMT"
    private static let earlier = "Sun, 31 Dec 2023 23:59:59 GMT"

    @Test func `A strong entity tag is the validator, whatever the date`() {
        let facts = self.facts([("ETag", #""v1""#), ("Last-Modified", Self.earlier), ("Date", Self.date)])
        #expect(facts.validator == #""v1""#)
    }

    @Test func `Without a tag the date is, if it is older than the answer`() {
        #expect(self.facts([("Last-Modified", Self.earlier), ("Date", Self.date)]).validator == Self.earlier)
        #expect(self.facts([("Last-Modified", Self.date), ("Date", Self.date)]).validator == nil)
        #expect(self.facts([("Last-Modified", Self.earlier)]).validator == nil)
    }

    @Test(arguments: [
        #"W/"v1""#, "v1", #"""#, "", "\"\u{7F}\"", "\"\u{E9}\"", "\"" + String(repeating: "x", count: 300) + "\"",
    ])
    func `A weak, unquoted, doubled or unsendable tag is none, and the date does not stand in for it`(tag: String) {
        let date = [("Last-Modified", Self.earlier), ("Date", Self.date)]
        #expect(self.facts([("ETag", tag)] + date).validator == nil)
        #expect(self.facts([("ETag", #""a""#), ("ETag", #""b""#)] + date).validator == nil)
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
    func `A status has its class and its code`(status: Int, failureClass: FailureClass, code: String) {
        let failure = self.faults.failure(for: self.facts([], status: status))
        #expect(failure.kind == "\(failureClass) \(code)")
        #expect(failure.httpStatus == status)
        #expect(failure.retryAfter == nil)
    }

    @Test(arguments: [429, 503])
    func `A server that says when to come again is obeyed`(status: Int) {
        let facts = self.facts([("Retry-After", "7")], status: status)
        let failure = self.faults.failure(for: facts)
        #expect(failure.failureClass == .throttled)
        #expect(failure.retryAfter == .seconds(7))
    }
}
