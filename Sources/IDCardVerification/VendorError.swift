import IDCardCore
import OutboundHTTP

/// An error string of the Megvii services, such as `MISSING_ARGUMENTS: image`, and the class it falls in.
///
/// Its table, which all dialects share, is collected from the vendor's pages of sister interfaces: none for FaceID v1
/// itself is public.
struct VendorError: Hashable, Sendable {
    /// The code: the text before the first colon, trimmed, compared by case.
    let code: String
    /// The text after it, trimmed.
    let detail: String

    /// Splits an error string.
    init(_ text: String) {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        self.code = halves[0].trimmed
        self.detail = halves.count > 1 ? halves[1].trimmed : ""
    }

    /// The class of the code by the vendor's table; `nil` for a code that is not in it.
    var failureClass: FailureClass? {
        switch self.code {
        case "CONCURRENCY_LIMIT_EXCEEDED": .throttled
        case "INVALID_IMAGE_SIZE", "IMAGE_FILE_TOO_LARGE", "Request Entity Too Large": .shrink
        case "IMAGE_ERROR_UNSUPPORTED_FORMAT", "INVALID_IMAGE_URL": .rejected
        case "INTERNAL_ERROR", "IMAGE_DOWNLOAD_TIMEOUT": .transient
        case "AUTHENTICATION_ERROR", "AUTHORIZATION_ERROR", "INSUFFICIENT_PERMISSION", "API_NOT_FOUND": .stop
        case "MISSING_ARGUMENTS", "BAD_ARGUMENTS", "COEXISTENCE_ARGUMENTS": .stop
        default: nil
        }
    }

    /// Returns the failure that this error is.
    ///
    /// An unknown code is carried verbatim, if it looks like one; its class is that of the status, and `transient`
    /// where the status says nothing.
    ///
    /// - Parameters:
    ///   - status: the status of the reply.
    ///   - retryAfter: how long the reply asks to wait.
    func failure(status: Int, retryAfter: Duration?) -> RemoteFailure {
        RemoteFailure(
            self.failureClass ?? VendorStatus.failureClass(of: status, retryAfter: retryAfter),
            code: self.boundedCode,
            message: self.message(status: status),
            httpStatus: status,
            retryAfter: retryAfter,
            mayConcernOneCard: self.isArgumentError
        )
    }

    /// Whether the service objects to an argument: our mistake for every card, or the oddity of one image.
    private var isArgumentError: Bool {
        ["MISSING_ARGUMENTS", "BAD_ARGUMENTS", "COEXISTENCE_ARGUMENTS"].contains(self.code)
    }

    /// The code, if it has the shape of one: anything else may quote what was sent.
    var boundedCode: String {
        if self.code == "Request Entity Too Large" { return "http_413" }
        let isCode = self.code.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        }
        return isCode && (1...64).contains(self.code.utf8.count) ? self.code : "unknown_error"
    }
}
