import CardModel
import Foundation
import Testing

@testable import CardRemote

/// The class of every error the vendor's pages list, and of those they do not, in every dialect.
@Suite struct ErrorStringTests {
    /// Status and error string, class and code. What follows each code of the vendor is a table of `ErrorCodeTableTests`.
    static let rows: [(Int, String, String)] = [
        (400, "IMAGE_ERROR_UNSUPPORTED_FORMAT: image_file", "rejected IMAGE_ERROR_UNSUPPORTED_FORMAT"),
        (403, "AUTHORIZATION_ERROR: Insufficient Account Balance", "stop AUTHORIZATION_ERROR"),
        (400, "MISSING_ARGUMENTS: image_url, image_file, image_base64", "stop MISSING_ARGUMENTS"),
        (413, "Request Entity Too Large", "shrink http_413"),
        // The status is not the contract.
        (200, "AUTHENTICATION_ERROR", "stop AUTHENTICATION_ERROR"),
        (200, "IMAGE_ERROR_UNSUPPORTED_FORMAT:image", "rejected IMAGE_ERROR_UNSUPPORTED_FORMAT"),
        (500, "CONCURRENCY_LIMIT_EXCEEDED", "throttled CONCURRENCY_LIMIT_EXCEEDED"),
        (302, "INTERNAL_ERROR", "transient INTERNAL_ERROR"),
        // Unknown codes, verbatim, by the status or else as transient.
        (400, "SOMETHING_NEW:x", "transient SOMETHING_NEW"), (200, "SOMETHING_NEW", "transient SOMETHING_NEW"),
        (403, "SOMETHING_NEW", "stop SOMETHING_NEW"), (429, "SOMETHING_NEW", "throttled SOMETHING_NEW"),
        (413, "SOMETHING_NEW", "shrink SOMETHING_NEW"), (401, "SOMETHING_NEW:x", "stop SOMETHING_NEW"),
        (404, "something new", "stop unknown_error"), (302, "SOMETHING_NEW", "stop SOMETHING_NEW"),
        // Digits belong to a code, after its first letter and a few at a time.
        (400, "IMAGE_ERROR_V2", "transient IMAGE_ERROR_V2"), (400, "IMAGE_ERROR_V2:image", "transient IMAGE_ERROR_V2"),
        (403, "LIMIT_2024_01_02", "stop LIMIT_2024_01_02"), (500, "E1234_1234", "transient E1234_1234"),
        (500, "E12345", "transient unknown_error"), (500, "X13800000000", "transient unknown_error"),
        (500, "2FAST", "transient unknown_error"), (500, "_2_FAST", "transient unknown_error"),
        (500, "ERROR_２", "transient unknown_error"),
        // Codes are compared by case.
        (400, "authentication_error", "transient unknown_error"),
        (400, "Authentication_Error", "transient unknown_error"),
        // White space around either half is not.
        (401, "  AUTHENTICATION_ERROR  :  x", "stop AUTHENTICATION_ERROR"),
        (401, "AUTHENTICATION_ERROR:a:b:c", "stop AUTHENTICATION_ERROR"),
        // Not a code: may quote anything.
        (500, "no such user 110101199003070011", "transient unknown_error"),
        (400, ":AUTHENTICATION_ERROR", "transient unknown_error"),
    ]

    @Test(arguments: rows, VerificationDialect.allCases)
    func `Each error string has its class, in each dialect and under each of the three keys`(
        row: (status: Int, error: String, kind: String),
        dialect: VerificationDialect
    ) throws {
        for key in ["error_message", "error", "ERROR"] {
            let body = #"{"request_id":"1457432550,b7","time_used":4,"\#(key)":"\#(row.error)"}"#
            let failure = try #require(outcome(dialect, row.status, body).failure)
            #expect(failure.kind == row.kind)
            #expect(failure.httpStatus == row.status)
            // It is of the dialect, and may be about this photo alone: it stops nobody.
            #expect(!failure.isUnreadable)
            #expect(!failure.message.contains("110101"))
        }
    }

    @Test(arguments: VerificationDialect.allCases)
    func `An error beside a whole reading is an error`(dialect: VerificationDialect) {
        let body = SampleReplies.front(dialect).replacing(
            "\"time_used\"",
            with: #""error_message": "INTERNAL_ERROR", "time_used""#
        )
        #expect(outcome(dialect, 200, body).failure?.code == "INTERNAL_ERROR")
    }

    @Test(arguments: [#""""#, #""  ""#, "null", "false", "0", "{}", "[]"], VerificationDialect.allCases)
    func `An error key that says nothing is no error`(json: String, dialect: VerificationDialect) {
        let body = SampleReplies.front(dialect).replacing("\"time_used\"", with: "\"error\": \(json), \"time_used\"")
        #expect(outcome(dialect, 200, body).reading?.side == .front)
    }

    @Test(arguments: ["1301", "true", #"{"code":"AUTHENTICATION_ERROR"}"#, #"["AUTHENTICATION_ERROR"]"#])
    func `An error that is no text is one we do not know`(json: String) {
        let failure = outcome(.faceppv1, 200, #"{"request_id":"1,a","cards":[],"error":\#(json)}"#).failure
        #expect(failure?.kind == "transient unknown_error")
    }

    @Test func `The first key that says something counts`() {
        let body = #"{"ERROR":"API_NOT_FOUND","error":"INTERNAL_ERROR","error_message":""}"#
        #expect(outcome(.faceIDv1, 400, body).failure?.code == "INTERNAL_ERROR")
    }

    @Test(arguments: VerificationDialect.allCases)
    func `A reply may ask for a wait, with a code and without`(dialect: VerificationDialect) {
        let limit = #"{"error_message":"CONCURRENCY_LIMIT_EXCEEDED"}"#
        for (status, body) in [(503, "busy"), (429, "busy"), (403, limit)] {
            let failure = outcome(dialect, status, body, retryAfter: .seconds(9)).failure
            #expect(failure?.failureClass == .throttled, "status \(status)")
            #expect(failure?.retryAfter == .seconds(9))
        }
    }

    @Test(arguments: [
        (401, "AUTHENTICATION_ERROR", RemoteFailure.StopScope.account),
        (403, "AUTHORIZATION_ERROR:Denied.", .account),
        (403, "INSUFFICIENT_PERMISSION:legality", .account), (404, "API_NOT_FOUND", .request),
        (400, "MISSING_ARGUMENTS: image", .request), (400, "BAD_ARGUMENTS:legality", .request),
        (400, "COEXISTENCE_ARGUMENTS", .request), (401, "SOMETHING_NEW", .account),
        (403, "SOMETHING_NEW", .request),
        (404, "no code at all", .request), (401, "", .account), (407, "", .account), (403, "", .request),
        (404, "", .request), (302, "", .request),
    ])
    func `A stop is about the account where credentials, quota or permission are, else about the request`(
        status: Int,
        error: String,
        scope: RemoteFailure.StopScope
    ) throws {
        let failure = try #require(outcome(.faceIDv1, status, error.isEmpty ? "" : #"{"error":"\#(error)"}"#).failure)
        #expect(failure.failureClass == .stop)
        #expect(failure.stopScope == scope)
    }

    @Test func `A wrong key is told from used-up calls, and the remedy named`() {
        func message(_ status: Int, _ error: String) -> Message? {
            outcome(.faceIDv1, status, #"{"error":"\#(error)"}"#).failure?.message
        }
        #expect(
            message(401, "AUTHENTICATION_ERROR")?.text()
                == "the verifier refused the API key (AUTHENTICATION_ERROR); check "
                + "verification.api_key and verification.api_secret, and for signed requests also this machine's clock"
        )
        #expect(message(403, "CONCURRENCY_LIMIT_EXCEEDED")?.contains("verification.concurrency") == true)
        #expect(
            message(403, "AUTHORIZATION_ERROR:Limit reached.")?.contains("AUTHORIZATION_ERROR: Limit reached.") == true
        )
        #expect(message(403, "AUTHORIZATION_ERROR:canary")?.contains("canary") == false)
    }

    @Test func `what is said of a failure promises no further call: it may have been the last`() throws {
        let errors =
            VendorCode.allCases.filter { $0.consequence.failureClass == .transient }.map(\.rawValue) + ["SOMETHING_NEW"]
        var texts = errors.compactMap {
            outcome(.faceIDv1, 500, #"{"error_message":"\#($0)"}"#).failure?.message.text(in: .english)
        }
        for status in [200, 400, 408, 500, 502, 503, 504] {
            texts += ["", "<html>", "{}"].compactMap {
                outcome(.faceIDv1, status, $0).failure?.message.text(in: .english)
            }
            texts += ["", "<html>", "{}"].compactMap { body in
                let reply = HTTPReply(status: status, body: Data(body.utf8))
                return BackendReply().outcome(of: reply, mask: MessageMask()).failure?.message.text(in: .english)
            }
        }
        #expect(texts.count == errors.count + 42)
        for text in texts {
            #expect(text.firstMatch(of: /again|repeat|retries|later|pipeline (calls|sends|asks)/) == nil)
        }
    }
}
