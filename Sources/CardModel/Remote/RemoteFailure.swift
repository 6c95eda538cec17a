/// The class of an attempt of an outbound call, decided once, where the answer is read.
package enum FailureClass: String, CaseIterable, Sendable, Codable {
    case accepted = "accepted"
    /// Definitely refused for this card.
    case rejected = "rejected"
    /// Too large in bytes or pixels.
    case shrink = "shrink"
    /// The remote asks for a slower pace; costs no attempt.
    case throttled = "throttled"
    /// No connection ever got the head of the request; costs no attempt.
    case notSent = "not_sent"
    /// A repeatable call failed and may succeed later.
    case transient = "transient"
    /// The remote may have received the delivery.
    case unknown = "unknown"
    /// Every card would fail: credentials, quota, address, TOKEN, arguments.
    case stop = "stop"
}

/// Why one outbound attempt did not succeed.
package struct RemoteFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The scope of a ``FailureClass/stop``.
    package enum StopScope: String, Sendable, Codable {
        /// The account (credentials, quota, 407, TOKEN): a card never fails because of it.
        case account
        /// The request (address, arguments): a single card can cause it, too; it then counts as the card's failure once
        /// another card passes.
        case request
    }

    package var failureClass: FailureClass
    /// The remote's own code, or ours for a failure of transport (`connect_refused`); short and without personal data.
    package var code: String
    package var message: Message
    /// The HTTP status, if there was a reply.
    package var httpStatus: Int?
    /// How long the remote asks us to wait.
    package var retryAfter: Duration?
    /// For class `stop`: its scope.
    package var stopScope: StopScope
    /// For class `rejected`, if no list of `delivery.retcode` has the code, so that a person decides: the spellings of
    /// the code that a list could have.
    package var unlistedCode: Redacted<[String]>?
    /// Whether the answer is complete but not understood: the same bytes would get the same answer.
    package var isUnreadable = false
    /// For a delivery: whether the remote may have applied the request; `false` only if the answer proves the contrary.
    package var mayBeApplied: Bool

    /// Creates a failure after which the request may have been applied only if its class is `unknown`.
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

    /// Whether the HTTP status is one that servers give for addresses that they do not serve.
    package var isAboutAddress: Bool { [403, 404, 405, 410].contains(self.httpStatus) }

    package var description: String { "\(self.failureClass.rawValue) (\(self.code)): \(self.message)" }
}
