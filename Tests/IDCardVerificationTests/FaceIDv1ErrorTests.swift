import Foundation
import IDCardCore
import OutboundHTTP
import Testing

@testable import IDCardVerification

/// The class of every error the vendor's pages list, and of those they do not.
struct FaceIDv1ErrorTests {
    /// A row of the vendor's error table.
    struct Row: Sendable, CustomTestStringConvertible {
        var status: Int
        var error: String
        var expected: FailureClass
        var code: String

        var testDescription: String { "\(self.status) \(self.error)" }

        init(_ status: Int, _ error: String, _ expected: FailureClass, code: String? = nil) {
            self.status = status
            self.error = error
            self.expected = expected
            self.code = code ?? String(error.prefix { $0 != ":" })
        }
    }

    static let rows: [Row] = [
        Row(400, "IMAGE_ERROR_UNSUPPORTED_FORMAT:image", .rejected),
        Row(400, "IMAGE_ERROR_UNSUPPORTED_FORMAT: image", .rejected),
        Row(400, "INVALID_IMAGE_SIZE:image", .shrink),
        Row(400, "IMAGE_FILE_TOO_LARGE", .shrink),
        Row(400, "IMAGE_FILE_TOO_LARGE:image", .shrink),
        Row(413, "Request Entity Too Large", .shrink, code: "http_413"),
        Row(403, "CONCURRENCY_LIMIT_EXCEEDED", .throttled),
        Row(500, "INTERNAL_ERROR", .transient),
        Row(412, "IMAGE_DOWNLOAD_TIMEOUT", .transient),
        Row(400, "INVALID_IMAGE_URL", .rejected),
        Row(401, "AUTHENTICATION_ERROR", .stop),
        Row(403, "AUTHENTICATION_ERROR", .stop),
        Row(403, "AUTHORIZATION_ERROR:Denied by Client", .stop),
        Row(403, "AUTHORIZATION_ERROR: Insufficient Account Balance", .stop),
        Row(403, "AUTHORIZATION_ERROR:Limit reached.", .stop),
        Row(403, "INSUFFICIENT_PERMISSION:legality", .stop),
        Row(400, "MISSING_ARGUMENTS: image_url, image_file, image_base64", .stop),
        Row(400, "BAD_ARGUMENTS:legality", .stop),
        Row(400, "COEXISTENCE_ARGUMENTS", .stop),
        Row(404, "API_NOT_FOUND", .stop),
        // The status is not the contract.
        Row(200, "AUTHENTICATION_ERROR", .stop),
        Row(200, "IMAGE_ERROR_UNSUPPORTED_FORMAT:image", .rejected),
        Row(500, "CONCURRENCY_LIMIT_EXCEEDED", .throttled),
        // Unknown codes, verbatim, by the status or else as transient.
        Row(400, "SOMETHING_NEW:x", .transient),
        Row(200, "SOMETHING_NEW", .transient),
        Row(403, "SOMETHING_NEW", .stop),
        Row(429, "SOMETHING_NEW", .throttled),
        Row(413, "SOMETHING_NEW", .shrink),
        // Codes are compared by case.
        Row(400, "authentication_error", .transient, code: "unknown_error"),
        // Not a code: may quote anything.
        Row(500, "no such user 110101199003070011", .transient, code: "unknown_error"),
    ]

    @Test(
        "Each error string has its class, under each of the three keys",
        arguments: Self.rows,
        FaceIDv1Reply.errorKeys
    )
    func table(row: Row, key: String) {
        let body = #"{"request_id":"1457432550,b7","time_used":4,"\#(key)":"\#(row.error)"}"#
        let failure = FaceIDv1Reply.outcome(of: reply(row.status, body)).failure
        #expect(failure?.failureClass == row.expected)
        #expect(failure?.code == row.code)
        #expect(failure?.httpStatus == row.status)
        #expect(failure?.message.contains(":") == true)
        #expect(failure?.message.contains("110101") == false)
    }

    @Test(
        "Without error string the status decides",
        arguments: ["", "<html><h1>…</h1></html>", "Request Entity Too Large", "{}"]
    )
    func status(body: String) {
        let expected: [(Int, FailureClass)] = [
            (302, .stop), (400, .transient), (401, .stop), (403, .stop), (404, .stop), (405, .stop), (408, .transient),
            (413, .shrink), (429, .throttled), (500, .transient), (502, .transient), (503, .transient),
            (504, .transient),
        ]
        for (status, failureClass) in expected {
            let failure = FaceIDv1Reply.outcome(of: reply(status, body, mediaType: "text/html")).failure
            #expect(failure?.failureClass == failureClass, "status \(status)")
            #expect(failure?.code == "http_\(status)")
        }
    }

    @Test("A 503 that names a time is a request for a slower pace", arguments: [503, 429])
    func retryAfter(status: Int) {
        let failure = FaceIDv1Reply.outcome(of: reply(status, "busy", retryAfter: .seconds(9))).failure
        #expect(failure?.failureClass == .throttled)
        #expect(failure?.retryAfter == .seconds(9))
    }

    @Test("A wrong key is told from used-up calls, and the remedy named")
    func messages() {
        let key = VendorError("AUTHENTICATION_ERROR").message(status: 401)
        #expect(
            key == "the verifier refused the API key (AUTHENTICATION_ERROR): "
                + "check verification.api_key and verification.api_secret"
        )
        #expect(VendorError("CONCURRENCY_LIMIT_EXCEEDED").message(status: 403).contains("verification.concurrency"))
        let denied = VendorError("AUTHORIZATION_ERROR:Limit reached.").message(status: 403)
        #expect(denied.contains("AUTHORIZATION_ERROR: Limit reached."))
    }

    @Test(
        "No message repeats what a reply quotes",
        arguments: [400, 401, 403, 413, 429, 500],
        [
            "AUTHENTICATION_ERROR:canary", "BAD_ARGUMENTS:canary", "canary", "CANARY_CODE canary:canary",
            "AUTHORIZATION_ERROR: canary, image",
        ]
    )
    func canary(status: Int, error: String) throws {
        let body = #"{"error_message":"\#(error)","name":"canary"}"#
        let failure = try #require(FaceIDv1Reply.outcome(of: reply(status, body)).failure)
        #expect(!"\(failure)".contains("canary"))
        #expect(!String(reflecting: failure).contains("canary"))
    }

    @Test("Neither a reading nor its outcome prints the person")
    func redaction() {
        let outcome = FaceIDv1Reply.outcome(of: reply(200, FaceIDv1ReadingTests.front))
        var dumped = ""
        dump(outcome, to: &dumped)
        for text in ["\(outcome)", String(reflecting: outcome), dumped] {
            for secret in ["张样本", "110101199003070011", "样本街", "1990-03-07"] {
                #expect(!text.contains(secret))
            }
        }
    }
}
