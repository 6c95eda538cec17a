/// Why one outbound attempt did not succeed.
package struct RemoteFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The class that decides what happens next.
    package var failureClass: FailureClass
    /// The remote's own code, or ours for transport failures (`connect_refused`); bounded, free of personal data.
    package var code: String
    /// What happened and what to do, for a person; free of personal data.
    package var message: String
    /// The HTTP status, if there was a reply.
    package var httpStatus: Int?
    /// How long the remote asks to wait.
    package var retryAfter: Duration?
    /// For class `stop`: whether one bad card could cause it too (argument errors). Alone it fails that card; a second
    /// card stops the stage.
    package var mayConcernOneCard: Bool
    /// Whether a `stop` is about the account for certain: then it ends no card, whatever others get.
    package var concernsAccount = false
    /// For class `rejected` and `stop`: whether no list says what the code means. One such refusal is that of a card;
    /// several equal ones in a row may concern every card.
    package var isUnlisted = false
    /// For classes `transient` and `unknown`: the failure came from a stale kept-alive connection: try again at once on
    /// a fresh one.
    package var retriesAtOnce: Bool

    /// Describes a failure.
    package init(
        _ failureClass: FailureClass,
        code: String,
        message: String,
        httpStatus: Int? = nil,
        retryAfter: Duration? = nil,
        mayConcernOneCard: Bool = false,
        retriesAtOnce: Bool = false
    ) {
        self.failureClass = failureClass
        self.code = code
        self.message = message
        self.httpStatus = httpStatus
        self.retryAfter = retryAfter
        self.mayConcernOneCard = mayConcernOneCard
        self.retriesAtOnce = retriesAtOnce
    }

    package var description: String { "\(self.failureClass.rawValue) (\(self.code)): \(self.message)" }
}
