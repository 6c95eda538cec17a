import IDCardCore
import OutboundHTTP

/// What the status alone says, where a reply carries no error string we know.
enum VendorStatus {
    /// Returns the class of a status that is not one of success.
    static func failureClass(of status: Int, retryAfter: Duration?) -> FailureClass {
        switch status {
        case 413: .shrink
        case 429: .throttled
        case 503 where retryAfter != nil: .throttled
        // A redirect is not followed and a wrong method is not ours: the URL is another service's.
        case 300..<400, 401, 403, 404, 405, 407, 410: .stop
        default: .transient
        }
    }

    /// Returns the failure of a reply without error string.
    ///
    /// What was cut off may have been the error string, which outranks the status (a 403 can be "slow down"): so a cut
    /// reply is asked for again, unless its status says of itself when and how.
    static func failure(of reply: HTTPReply) -> RemoteFailure {
        let failureClass = self.failureClass(of: reply.status, retryAfter: reply.retryAfter)
        guard reply.isComplete || failureClass == .shrink || failureClass == .throttled else {
            return self.truncated(reply)
        }
        return RemoteFailure(
            failureClass,
            code: "http_\(reply.status)",
            message: "the verifier answered \(reply.status): \(self.remedy(for: reply.status))",
            httpStatus: reply.status,
            retryAfter: reply.retryAfter
        )
    }

    private static func truncated(_ reply: HTTPReply) -> RemoteFailure {
        RemoteFailure(
            .transient,
            code: ReplyCode.truncatedReply.rawValue,
            message:
                "the verifier's answer \(reply.status) broke off after \(reply.body.count) bytes, before any error "
                + "could be read: the call is repeated; if it persists, look into what lies between",
            httpStatus: reply.status,
            retryAfter: reply.retryAfter
        )
    }

    private static func remedy(for status: Int) -> String {
        switch status {
        case 413: "the image is made smaller once; lower imaging.byte_budget"
        case 429: "the pipeline slows down by itself"
        case 300..<400: "redirects are not followed; set verification.url to where it points"
        case 401, 403, 407: "check verification.api_key, verification.api_secret and a proxy on the way"
        case 404, 405, 410: "check verification.url"
        default: "the call is repeated; if it persists, look into the service's log"
        }
    }
}
