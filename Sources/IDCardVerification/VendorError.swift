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
    /// where the status says nothing. Where the status says `stop`, nobody knows whether the error is about the account
    /// or about this image: alone it fails one card only.
    func failure(of reply: HTTPReply) -> RemoteFailure {
        let failureClass =
            self.known?.failureClass ?? VendorStatus.failureClass(of: reply.status, retryAfter: reply.retryAfter)
        var failure = RemoteFailure(
            failureClass,
            code: self.boundedCode,
            message: self.message(status: reply.status),
            httpStatus: reply.status,
            retryAfter: reply.retryAfter,
            mayConcernOneCard: self.known?.isArgumentError ?? (failureClass == .stop)
        )
        failure.isUnlisted = failureClass == .stop && self.known == nil
        failure.concernsAccount = failureClass == .stop && self.known?.isArgumentError == false
        return failure
    }

    /// The code, if it has the shape of one: anything else may quote what was sent.
    var boundedCode: String {
        if self.known == .requestEntityTooLarge { return "http_413" }
        return self.hasShapeOfCode ? self.code : ReplyCode.unknownError.rawValue
    }

    /// Whether the code has 1 to 64 capital letters and underscores, and after the first letter digits too, at most
    /// four in a row: enough for a version or a year, too few for a number of a card or a telephone.
    private var hasShapeOfCode: Bool {
        guard (1...64).contains(self.code.utf8.count) else { return false }
        var hasLetter = false
        var digits = 0
        for byte in self.code.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                hasLetter = true
                digits = 0
            case UInt8(ascii: "_"):
                digits = 0
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += 1
                guard hasLetter, digits <= 4 else { return false }
            default:
                return false
            }
        }
        return true
    }
}
