package import IDCardCore

/// How one attempt ended, for the attempt row: bounded codes, nothing personal.
package struct AttemptRecord: Hashable, Sendable {
    /// The class it ended in.
    package var failureClass: FailureClass
    /// The remote's code, or ours.
    package var code: String
    /// The HTTP status, if there was a reply.
    package var httpStatus: Int?
    /// When it began.
    package var startedAt: Timestamp

    /// Describes an attempt.
    package init(failureClass: FailureClass, code: String, httpStatus: Int?, startedAt: Timestamp) {
        self.failureClass = failureClass
        self.code = code
        self.httpStatus = httpStatus
        self.startedAt = startedAt
    }

    /// Describes a failed attempt.
    package init(_ failure: RemoteFailure, startedAt: Timestamp) {
        self.init(
            failureClass: failure.failureClass,
            code: failure.code,
            httpStatus: failure.httpStatus,
            startedAt: startedAt
        )
    }
}

/// What becomes of a `prepared` card after verification was tried.
package enum VerificationConclusion: Hashable, Sendable {
    /// The service read it: becomes `verified`, `rejected` or `held` by the verdict; the reading is kept either way.
    case judged(CardReading, ReadingKey, Verdict)
    /// A definite no: becomes `rejected`.
    case rejected(ReasonCode, message: String)
    /// Attempts used up: becomes `failed`.
    case failed(ReasonCode, message: String)
    /// Stays `prepared`, to be tried again.
    case retry(at: Timestamp, costsAttempt: Bool)
    /// Stays `prepared` with a smaller image, to be tried at once.
    case shrunk(PreparedImage)
}

/// What becomes of a delivery after it was tried.
package enum DeliveryConclusion: Hashable, Sendable {
    /// The backend holds the documents: the members become `delivered`.
    case delivered(code: String)
    /// A definite no: the members become `rejected`.
    case rejected(ReasonCode, message: String)
    /// A person decides: the members become `held`; the delivery stays as it is, so that it can be resent.
    case held(ReasonCode, message: String)
    /// Nothing was applied and the form must change: the members become `verified`, the delivery is closed.
    case dissolved
    /// Stays `delivering`, to be sent again byte for byte.
    case retry(at: Timestamp, costsAttempt: Bool)
}
