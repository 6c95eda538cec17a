import IDCardCore
import OutboundHTTP

/// An error string of the Megvii services, such as `MISSING_ARGUMENTS: image`: a code, and maybe a detail.
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

    /// The code, if it is one of the vendor's table.
    var known: VendorCode? { VendorCode(rawValue: self.code) }

    /// Returns the failure that this error is.
    ///
    /// An unknown code is carried verbatim, if it looks like one; its class is that of the status, and `transient`
    /// where the status says nothing.
    func failure(of reply: HTTPReply) -> RemoteFailure {
        RemoteFailure(
            self.known?.failureClass ?? VendorStatus.failureClass(of: reply.status, retryAfter: reply.retryAfter),
            code: self.boundedCode,
            message: self.message(status: reply.status),
            httpStatus: reply.status,
            retryAfter: reply.retryAfter,
            mayConcernOneCard: self.known?.isArgumentError ?? false
        )
    }

    /// The code, if it has the shape of one: anything else may quote what was sent.
    var boundedCode: String {
        if self.known == .requestEntityTooLarge { return "http_413" }
        let isCode = self.code.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        }
        return isCode && (1...64).contains(self.code.utf8.count) ? self.code : ReplyCode.unknownError.rawValue
    }
}
