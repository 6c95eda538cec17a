import IDCardCore
import OutboundHTTP

/// What the status of a reply says of a delivery, where no RETCODE decides.
enum BackendStatus {
    /// Returns the failure of a status that is not one of success.
    ///
    /// - Parameters:
    ///   - reply: the reply.
    ///   - words: what the backend says in the body, if anything.
    static func failure(of reply: HTTPReply, words: BackendWords?) -> RemoteFailure {
        let failureClass = self.failureClass(of: reply)
        // The reason of a stopped stage is shown in clear: the backend's text has no place there.
        let shown = words.map { " (\(failureClass == .stop ? $0.boundedCode : $0.quoted))" } ?? ""
        return RemoteFailure(
            failureClass,
            code: self.code(of: reply.status, failureClass: failureClass, words: words),
            message: "the backend answered \(reply.status)\(shown): \(self.remedy(for: reply.status, failureClass))",
            httpStatus: reply.status,
            retryAfter: reply.retryAfter
        )
    }

    private static func failureClass(of reply: HTTPReply) -> FailureClass {
        switch reply.status {
        // Redirects are not followed, and the other four say "wrong address" or "wrong credentials": every card would
        // meet them.
        case 300..<400, 401, 403, 404, 405, 410: .stop
        // 409 on our key: the first attempt is under way. 422: the key is known with other content. Neither says what
        // became of it.
        case 409, 422: .unknown
        case 429: .throttled
        case 503 where reply.retryAfter != nil: .throttled
        // The backend did not take the request in, or not in time; under our key sending it again is safe.
        case 408, 425: .unknown
        case 413: .rejected
        // What was cut off may have been the word that the document is there already.
        case 400..<500: reply.isComplete ? .rejected : .unknown
        default: .unknown
        }
    }

    private static func code(of status: Int, failureClass: FailureClass, words: BackendWords?) -> String {
        switch status {
        case 409: "in_progress"
        case 422: "idempotency_key_conflict"
        default: failureClass == .rejected ? words?.boundedCode ?? "http_\(status)" : "http_\(status)"
        }
    }

    private static func remedy(for status: Int, _ failureClass: FailureClass) -> String {
        switch status {
        case 300..<400: "redirects are not followed; set delivery.url to where it points"
        case 401, 403: "check delivery.token, the account's rights and a proxy on the way"
        case 404, 405, 410: "check delivery.url"
        case 409: "an attempt with the same key is under way; it is asked again"
        case 413: "the form is too large for the backend; lower imaging.byte_budget for new cards"
        case 422: "the key is known there with other content; compare the backend's records"
        case 429: "the pipeline slows down by itself"
        default:
            switch failureClass {
            case .rejected: "correct the card's data, or look into the backend's log"
            case .throttled: "the pipeline slows down"
            default: "whether it took the document is unknown; it is asked again under the same key"
            }
        }
    }
}
