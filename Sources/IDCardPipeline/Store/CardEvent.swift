package import IDCardCore

/// One line in the history of a card or a delivery.
package struct CardEvent: Hashable, Sendable {
    /// When.
    package var at: Timestamp
    /// What: a constant word such as `admitted`, `verified`, `attempt`, `superseded`.
    package var kind: String
    /// The state the card entered, if it changed.
    package var state: CardState?
    /// A bounded code: the reason, or how an attempt ended.
    package var code: String?

    /// Describes an event.
    package init(at: Timestamp, kind: String, state: CardState? = nil, code: String? = nil) {
        self.at = at
        self.kind = kind
        self.state = state
        self.code = code
    }

    /// The event of a rule that does not hold but decides nothing: kind `warning`, the rule's code.
    package init(_ warning: VerdictFinding, at: Timestamp) {
        self.init(at: at, kind: "warning", code: warning.reason.rawValue)
    }
}
