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
    /// What it says of its endpoint, see `FailureClass.provesEndpoint`; what is not certain is not what its class says.
    package var provesEndpoint: Bool?

    /// Describes an attempt.
    package init(failureClass: FailureClass, code: String, httpStatus: Int?, startedAt: Timestamp) {
        self.failureClass = failureClass
        self.code = code
        self.httpStatus = httpStatus
        self.startedAt = startedAt
        self.provesEndpoint = failureClass.provesEndpoint
    }

    /// Whether it failed in a way that may concern every card.
    package var isStop: Bool { self.provesEndpoint == false && self.failureClass != .transient }

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
