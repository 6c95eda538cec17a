/// The class of every outbound attempt, decided once at the boundary.
package enum FailureClass: String, CaseIterable, Sendable, Codable {
    case accepted = "accepted"
    /// Definitely refused for this card.
    case rejected = "rejected"
    /// Too large in bytes or pixels.
    case shrink = "shrink"
    /// The remote asks for a slower pace; costs no attempt.
    case throttled = "throttled"
    /// The request head was never handed to a connection; costs no attempt.
    case notSent = "not_sent"
    /// A repeatable call failed and may succeed later.
    case transient = "transient"
    /// A delivery that may have been received.
    case unknown = "unknown"
    /// Every card would fail: credentials, quota, address, TOKEN, arguments.
    case stop = "stop"
}

/// Why one outbound attempt did not succeed.
package struct RemoteFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The scope of a ``FailureClass/stop``.
    package enum StopScope: String, Sendable, Codable {
        /// The account (credentials, quota, 407, TOKEN): never makes a card fail, whatever happens to other cards.
        case account
        /// The request (address, arguments): a card can cause it, too, and fails by it once another card passes.
        case request
    }

    package var failureClass: FailureClass
    /// The remote's own code, or ours for failures of transport (`connect_refused`); bounded, free of personal data.
    package var code: String
    package var message: Message
    /// The HTTP status, if there was a reply.
    package var httpStatus: Int?
    /// The wait that the remote requests.
    package var retryAfter: Duration?
    /// For class `stop`: its scope.
    package var stopScope: StopScope
    /// For class `rejected`, if no list of `delivery.retcode` has the code: its possible spellings; a person then
    /// decides.
    package var unlistedCode: Redacted<[String]>?
    /// Whether the answer is complete but not understood: sending the same bytes again cannot change that.
    package var isUnreadable = false
    /// For a delivery: whether the remote may have applied the request; `false` only if the answer proves the contrary.
    package var mayBeApplied: Bool

    /// Creates a failure whose class decides whether it may have been applied: only `unknown` may.
    package init(
        _ failureClass: FailureClass,
        code: String,
        message: Message,
        httpStatus: Int? = nil,
        retryAfter: Duration? = nil,
        stopScope: StopScope = .account
    ) {
        (self.failureClass, self.code, self.message, self.httpStatus) = (failureClass, code, message, httpStatus)
        (self.retryAfter, self.stopScope, self.mayBeApplied) = (retryAfter, stopScope, failureClass == .unknown)
    }

    /// Whether no list of `delivery.retcode` has its code, so that a person decides.
    package var isUnlisted: Bool { self.unlistedCode != nil }

    /// Whether its HTTP status is one with which servers answer addresses that they do not serve.
    package var isAboutAddress: Bool { [403, 404, 405, 410].contains(self.httpStatus) }

    package var description: String { "\(self.failureClass.rawValue) (\(self.code)): \(self.message)" }
}
