import IDCardCore
import OutboundHTTP
import Testing

@testable import IDCardVerification

/// The class of every error the vendor's pages list, and of those they do not, in every dialect.
struct ErrorStringTests {
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
        Row(400, "IMAGE_ERROR_UNSUPPORTED_FORMAT: image_file", .rejected),
        Row(400, "INVALID_IMAGE_SIZE:image", .shrink),
        Row(400, "IMAGE_FILE_TOO_LARGE", .shrink),
        Row(400, "IMAGE_FILE_TOO_LARGE:image_file", .shrink),
        Row(413, "Request Entity Too Large", .shrink, code: "http_413"),
        Row(403, "CONCURRENCY_LIMIT_EXCEEDED", .throttled),
        Row(500, "INTERNAL_ERROR", .transient),
        Row(412, "IMAGE_DOWNLOAD_TIMEOUT", .transient),
        Row(400, "INVALID_IMAGE_URL", .rejected),
        Row(401, "AUTHENTICATION_ERROR", .stop),
        Row(403, "AUTHENTICATION_ERROR", .stop),
        Row(403, "AUTHORIZATION_ERROR:Denied by Client", .stop),
        Row(403, "AUTHORIZATION_ERROR:Denied by Admin", .stop),
        Row(403, "AUTHORIZATION_ERROR: Insufficient Account Balance", .stop),
        Row(403, "AUTHORIZATION_ERROR:Limit reached.", .stop),
        Row(403, "AUTHORIZATION_ERROR:Denied.", .stop),
        Row(403, "AUTHORIZATION_ERROR:No data source permission.", .stop),
        Row(403, "INSUFFICIENT_PERMISSION:legality", .stop),
        Row(400, "MISSING_ARGUMENTS: image_url, image_file, image_base64", .stop),
        Row(400, "MISSING_ARGUMENTS: sign_version", .stop),
        Row(400, "BAD_ARGUMENTS:legality", .stop),
        Row(400, "COEXISTENCE_ARGUMENTS", .stop),
        Row(404, "API_NOT_FOUND", .stop),
        // The status is not the contract.
        Row(200, "AUTHENTICATION_ERROR", .stop),
        Row(200, "IMAGE_ERROR_UNSUPPORTED_FORMAT:image", .rejected),
        Row(500, "CONCURRENCY_LIMIT_EXCEEDED", .throttled),
        Row(302, "INTERNAL_ERROR", .transient),
        // Unknown codes, verbatim, by the status or else as transient.
        Row(400, "SOMETHING_NEW:x", .transient),
        Row(200, "SOMETHING_NEW", .transient),
        Row(403, "SOMETHING_NEW", .stop),
        Row(429, "SOMETHING_NEW", .throttled),
        Row(413, "SOMETHING_NEW", .shrink),
        Row(401, "SOMETHING_NEW:x", .stop),
        Row(404, "something new", .stop, code: "unknown_error"),
        Row(302, "SOMETHING_NEW", .stop),
        // Digits belong to a code, after its first letter and a few at a time.
        Row(400, "IMAGE_ERROR_V2", .transient),
        Row(400, "IMAGE_ERROR_V2:image", .transient),
        Row(403, "LIMIT_2024_01_02", .stop),
        Row(500, "E1234_1234", .transient),
        Row(500, "E12345", .transient, code: "unknown_error"),
        Row(500, "X13800000000", .transient, code: "unknown_error"),
        Row(500, "2FAST", .transient, code: "unknown_error"),
        Row(500, "_2_FAST", .transient, code: "unknown_error"),
        Row(500, "ERROR_２", .transient, code: "unknown_error"),
        // Codes are compared by case.
        Row(400, "authentication_error", .transient, code: "unknown_error"),
        Row(400, "Authentication_Error", .transient, code: "unknown_error"),
        // White space around either half is not.
        Row(401, "  AUTHENTICATION_ERROR  :  x", .stop, code: "AUTHENTICATION_ERROR"),
        Row(401, "AUTHENTICATION_ERROR:a:b:c", .stop),
        // Not a code: may quote anything.
        Row(500, "no such user 110101199003070011", .transient, code: "unknown_error"),
        Row(400, ":AUTHENTICATION_ERROR", .transient, code: "unknown_error"),
    ]

    @Test(
        "Each error string has its class, in each dialect and under each of the three keys",
        arguments: rows,
        VerificationDialect.allCases
    )
    func table(row: Row, dialect: VerificationDialect) throws {
        for key in ["error_message", "error", "ERROR"] {
            let body = #"{"request_id":"1457432550,b7","time_used":4,"\#(key)":"\#(row.error)"}"#
            let failure = try #require(outcome(dialect, row.status, body).failure)
            #expect(failure.failureClass == row.expected)
            #expect(failure.code == row.code)
            #expect(failure.httpStatus == row.status)
            #expect(failure.message.contains(":"))
            #expect(!failure.message.contains("110101"))
            let isUnknownStop = row.expected == .stop && VendorCode(rawValue: row.code) == nil
            #expect(failure.mayConcernOneCard == (isUnknownStop || row.code.hasSuffix("_ARGUMENTS")))
        }
    }

    @Test("An error beside a whole reading is an error", arguments: VerificationDialect.allCases)
    func errorInReading(dialect: VerificationDialect) {
        let body = SampleReplies.front(dialect).replacing(
            "\"time_used\"",
            with: #""error_message": "INTERNAL_ERROR", "time_used""#
        )
        #expect(outcome(dialect, 200, body).failure?.code == "INTERNAL_ERROR")
    }

    @Test(
        "An error key that says nothing is no error",
        arguments: [#""""#, #""  ""#, "null", "false", "0", "{}", "[]"],
        VerificationDialect.allCases
    )
    func noError(json: String, dialect: VerificationDialect) {
        let body = SampleReplies.front(dialect).replacing("\"time_used\"", with: "\"error\": \(json), \"time_used\"")
        #expect(outcome(dialect, 200, body).reading?.side == .front)
    }

    @Test(
        "An error that is no text is one we do not know",
        arguments: ["1301", "true", #"{"code":"AUTHENTICATION_ERROR"}"#, #"["AUTHENTICATION_ERROR"]"#]
    )
    func errorOfAnotherType(json: String) {
        let failure = outcome(.faceppv1, 200, #"{"request_id":"1,a","cards":[],"error":\#(json)}"#).failure
        #expect(failure?.failureClass == .transient)
        #expect(failure?.code == "unknown_error")
    }

    @Test("The first key that says something counts")
    func order() {
        let body = #"{"ERROR":"API_NOT_FOUND","error":"INTERNAL_ERROR","error_message":""}"#
        #expect(outcome(.faceIDv1, 400, body).failure?.code == "INTERNAL_ERROR")
    }

    @Test("A reply may ask for a wait, with a code and without", arguments: VerificationDialect.allCases)
    func retryAfter(dialect: VerificationDialect) {
        for (status, body) in [
            (503, "busy"), (429, "busy"), (403, #"{"error_message":"CONCURRENCY_LIMIT_EXCEEDED"}"#),
        ] {
            let failure = outcome(dialect, status, body, retryAfter: .seconds(9)).failure
            #expect(failure?.failureClass == .throttled, "status \(status)")
            #expect(failure?.retryAfter == .seconds(9))
        }
    }

    @Test(
        "An error that we do not know fails one card only where the status would stop them all",
        arguments: [(401, true), (403, true), (404, true), (301, true), (400, false), (500, false), (429, false)],
        ["SOMETHING_NEW", "IMAGE_ERROR_V2:image", "no code at all", "授权失败"]
    )
    func unknownStop(row: (status: Int, mayConcernOneCard: Bool), error: String) throws {
        let failure = try #require(outcome(.faceIDv1, row.status, #"{"error":"\#(error)"}"#).failure)
        #expect((failure.failureClass == .stop) == row.mayConcernOneCard)
        #expect(failure.mayConcernOneCard == row.mayConcernOneCard)
    }

    @Test("An error that we know, and a status without any error, concern every card", arguments: [401, 403, 404])
    func knownStop(status: Int) throws {
        for body in [#"{"error":"AUTHORIZATION_ERROR:Denied."}"#, #"{"error":"API_NOT_FOUND"}"#, "", "<html>"] {
            let failure = try #require(outcome(.faceIDv1, status, body).failure)
            #expect(failure.failureClass == .stop)
            #expect(!failure.mayConcernOneCard)
        }
    }

    @Test("A wrong key is told from used-up calls, and the remedy named")
    func messages() {
        let key = VendorError("AUTHENTICATION_ERROR").message(status: 401)
        #expect(
            key == "the verifier refused the API key (AUTHENTICATION_ERROR): check verification.api_key and "
                + "verification.api_secret; for signed requests also this machine's clock"
        )
        #expect(VendorError("CONCURRENCY_LIMIT_EXCEEDED").message(status: 403).contains("slows down by itself"))
        let denied = VendorError("AUTHORIZATION_ERROR:Limit reached.").message(status: 403)
        #expect(denied.contains("AUTHORIZATION_ERROR: Limit reached."))
    }
}
