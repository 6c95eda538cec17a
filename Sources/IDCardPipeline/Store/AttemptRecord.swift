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

    /// Whether what was to be sent may have left this machine.
    package var mayHaveRevealed: Bool { self.failureClass != .notSent }

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
