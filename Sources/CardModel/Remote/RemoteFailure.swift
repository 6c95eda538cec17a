/// The class in which every outbound attempt ends, decided once at the boundary that knows.
package enum FailureClass: String, CaseIterable, Sendable, Codable {
    case accepted = "accepted"
    /// A definite no for this card.
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
    /// What a ``FailureClass/stop`` is about.
    package enum StopScope: String, Sendable, Codable {
        /// The account (credentials, quota, 407, TOKEN): it ends no card, whatever others get.
        case account
        /// The request (address, arguments): a card can cause it, too, and ends by it once another card passes.
        case request
    }

    package var failureClass: FailureClass
    /// The remote's own code, or ours for failures of transport (`connect_refused`); bounded, free of personal data.
    package var code: String
    package var message: Message
    /// The HTTP status, if there was a reply.
    package var httpStatus: Int?
    /// How long the remote asks to wait.
    package var retryAfter: Duration?
    /// For class `stop`: what it is about.
    package var stopScope: StopScope
    /// For class `rejected`: the code in every way it may be listed, if no list of `delivery.retcode` names it, so that a
    /// person decides.
    package var unlistedCode: Redacted<[String]>?
    /// Whether the answer came whole and says nothing that we understand: repeating the bytes cannot make it readable.
    package var isUnreadable = false
    /// For a delivery: whether the remote may have applied the request all the same; only an answer that proves the
    /// contrary says `false`.
    package var mayBeApplied: Bool

    /// Describes a failure of which only the class says whether it may be applied: `unknown` does.
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

    /// Whether no list of `delivery.retcode` names its code, so that a person decides.
    package var isUnlisted: Bool { self.unlistedCode != nil }

    /// Whether its status is one that a server gives to addresses it does not serve.
    package var isAboutAddress: Bool { [403, 404, 405, 410].contains(self.httpStatus) }

    package var description: String { "\(self.failureClass.rawValue) (\(self.code)): \(self.message)" }
}
