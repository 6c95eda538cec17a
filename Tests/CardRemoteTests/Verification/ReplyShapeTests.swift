import CardModel
import Foundation
import Testing

@testable import CardRemote

/// Replies that are no JSON object, are cut, or speak another dialect.
@Suite struct ReplyShapeTests {
    private static let dialects = VerificationDialect.allCases

    @Test(
        arguments: [
            "", "<html><h1>413 Request Entity Too Large</h1></html>", "Request Entity Too Large", "{}", "[]",
            #"{"error_message":"AUTHENT"#, #"[{"error_message":"AUTHENTICATION_ERROR"}]"#,
        ],
        dialects
    )
    func `Without error string the status decides`(body: String, dialect: VerificationDialect) {
        let expected: [(Int, FailureClass)] = [
            (302, .stop), (400, .transient), (401, .stop), (403, .stop), (404, .stop), (405, .stop), (407, .stop),
            (408, .transient), (413, .shrink), (429, .throttled), (500, .transient), (502, .transient),
            (503, .transient), (504, .transient),
        ]
        for (status, failureClass) in expected {
            let failure = outcome(dialect, status, body, mediaType: "text/html").failure
            #expect(failure?.kind == "\(failureClass) http_\(status)", "status \(status)")
            #expect(failure?.httpStatus == status)
        }
    }

    @Test(
        arguments: [
            "", " ", "{", #"{"side":"fro"#, "<html></html>", "[]", #"[{"side":"front"}]"#, #""front""#, "1", "null",
            "{}",
            #"{"ok":true}"#, "\u{FEFF}", "side=front",
        ],
        dialects
    )
    func `A 200 that is no reading is tried again`(body: String, dialect: VerificationDialect) {
        let failure = outcome(dialect, 200, body).failure
        #expect(failure?.kind == "transient unusable_reply")
        #expect(failure?.httpStatus == 200)
    }

    @Test(arguments: dialects)
    func `A reading cut at any byte is never a reading`(dialect: VerificationDialect) {
        let whole = Data(SampleReplies.front(dialect).trimmingCharacters(in: .whitespacesAndNewlines).utf8)
        for count in 0..<whole.count {
            let reply = HTTPReply(status: 200, contentType: "application/json", body: whole.prefix(count))
            let failure = ReplyReading(reply, dialect: dialect).outcome.failure
            #expect(failure?.code == "unusable_reply", "\(count) of \(whole.count) bytes")
        }
    }

    @Test(arguments: dialects)
    func `a cut reply without error string is asked for again, unless its status tells`(dialect: VerificationDialect) {
        let expected: [(Int, Duration?, FailureClass)] = [
            (200, nil, .transient), (302, nil, .transient), (400, nil, .transient), (401, nil, .transient),
            (403, nil, .transient), (404, .seconds(9), .transient), (413, nil, .shrink), (429, nil, .throttled),
            (500, nil, .transient), (503, nil, .transient), (503, .seconds(9), .throttled),
        ]
        let whole = SampleReplies.front(dialect)
        for body in ["", "<html>", #"{"error_message":"CONCURRENCY_LIM"#, #"{"request_id":"1,a"}"#, "[]", whole] {
            for (status, wait, failureClass) in expected {
                var reply = reply(status, body, retryAfter: wait)
                reply.isComplete = false
                let failure = ReplyReading(reply, dialect: dialect).outcome.failure
                #expect(failure?.failureClass == failureClass, "status \(status)")
                #expect(failure?.code == (failureClass == .transient ? "truncated_reply" : "http_\(status)"))
                #expect(failure?.httpStatus == status)
                #expect(failure?.retryAfter == wait)
            }
        }
    }

    @Test(arguments: dialects)
    func `A cut reply whose error string came whole is that error`(dialect: VerificationDialect) {
        for (status, error) in [(403, "CONCURRENCY_LIMIT_EXCEEDED"), (401, "AUTHENTICATION_ERROR"), (403, "NEW_ONE")] {
            let plain = reply(status, #"{"error_message":"\#(error)"}"#)
            var cut = plain
            cut.isComplete = false
            let outcome = ReplyReading(cut, dialect: dialect).outcome
            #expect(outcome == ReplyReading(plain, dialect: dialect).outcome)
            #expect(outcome.failure?.code == error)
        }
    }

    @Test(arguments: dialects)
    func `A byte order mark, white space and another media type change nothing`(dialect: VerificationDialect) {
        let body = SampleReplies.front(dialect)
        let plain = outcome(dialect, 200, body)
        #expect(plain.reading?.side == .front)
        #expect(outcome(dialect, 200, "\u{FEFF}\(body)") == plain)
        #expect(outcome(dialect, 200, "\r\n\t \(body)\n\n") == plain)
        #expect(outcome(dialect, 200, body, mediaType: "text/html") == plain)
        #expect(outcome(dialect, 200, body, mediaType: nil) == plain)
        #expect(outcome(dialect, 201, body) == plain)
    }

    @Test(arguments: dialects)
    func `Two documents in one body are no reading`(dialect: VerificationDialect) {
        let body = SampleReplies.front(dialect)
        #expect(outcome(dialect, 200, body + body).failure?.code == "unusable_reply")
    }

    @Test func `Bytes that are no UTF-8 are a reading in the charset of their label alone`() {
        // 成功 by iconv.
        let gbk = Data(#"{"side":"back","issued_by":""#.utf8) + [0xB3, 0xC9, 0xB9, 0xA6] + Data(#""}"#.utf8)
        for (label, issuer) in [("application/json;charset=GBK", "成功"), ("application/json", nil)] {
            let reply = HTTPReply(status: 200, contentType: label, body: gbk)
            let outcome = ReplyReading(reply, dialect: .faceIDv1).outcome
            #expect(outcome.reading?.fields.issuer?.reveal() == issuer)
            #expect((outcome.failure?.code == "unusable_reply") == (issuer == nil))
        }
    }

    /// Every ordered pair of different dialects: what is configured, and what answers.
    static let pairs = dialects.flatMap { configured in
        dialects.filter { $0 != configured }.map { (configured, $0) }
    }

    @Test(arguments: pairs)
    func `another dialect's reading stops the stage`(configured: VerificationDialect, answering: VerificationDialect) {
        for body in [SampleReplies.front(answering), SampleReplies.back(answering)] {
            let failure = outcome(configured, 200, body).failure
            #expect(failure?.kind == "stop wrong_dialect")
            #expect(failure?.message.contains("dialect \(answering.rawValue), not in \(configured.rawValue)") == true)
            #expect(failure?.stopScope == .request)
        }
    }

    @Test(arguments: [
        (VerificationDialect.faceIDv1, #"{"request_id":"1,a","cards":[]}"#),
        (.faceIDv1, #"{"request_id":"1,a","result":1001,"side":0}"#),
        (.faceIDv1, #"{"request_id":"1,a","side":1}"#),
        (.faceIDv1, #"{"request_id":"1,a","name":{"result":"x"}}"#),
        (.faceppv1, #"{"request_id":"1,a","side":"front"}"#), (.faceppv1, #"{"request_id":"1,a","result":1002}"#),
        (.faceIDv3, #"{"request_id":"1,a","cards":[]}"#), (.faceIDv3, #"{"request_id":"1,a","side":"back"}"#),
        (.faceIDv3, #"{"request_id":"1,a","name":"x"}"#),
    ])
    func `Even a scanty one`(configured: VerificationDialect, body: String) {
        #expect(outcome(configured, 200, body).failure?.code == "wrong_dialect")
    }

    @Test(arguments: [
        (VerificationDialect.faceIDv1, #"{"side":"front","cards":[],"result":1001}"#),
        (.faceppv1, #"{"cards":[{"side":"front"}],"side":"back","result":1001}"#),
        (.faceIDv3, #"{"result":1001,"side":0,"cards":[],"race":"汉"}"#),
    ])
    func `The marks of another dialect beside one's own change nothing`(dialect: VerificationDialect, body: String) {
        #expect(outcome(dialect, 200, body).reading?.side == .front)
    }
}
