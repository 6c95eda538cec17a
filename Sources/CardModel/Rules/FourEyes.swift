/// The effect of a person's decision about a card, given the decision of another person.
package enum FourEyes {
    /// A decision that is stored and not yet carried out.
    package struct Pending: Hashable, Sendable {
        package var action: DecisionAction
        /// Why the photo is returned.
        package var reason: RetakeReason?
        /// The person who decided first.
        package var subject: String
        /// The second person, who decided the same.
        package var second: String?
        package var needsSecond: Bool

        package init(
            _ action: DecisionAction,
            because reason: RetakeReason? = nil,
            by subject: String,
            second: String? = nil,
            needsSecond: Bool
        ) {
            (self.action, self.reason, self.subject) = (action, reason, subject)
            (self.second, self.needsSecond) = (second, needsSecond)
        }
    }

    package enum Verdict: Hashable, Sendable {
        /// Carried out, with the name of the person who decided the same first.
        case goes(first: String?)
        /// Stored for a second person.
        case waits
        /// The same decision is already stored.
        case stands
        case taken(by: String)
    }

    /// Judges a decision; pure.
    ///
    /// - Parameters:
    ///   - pending: the card's pending decision, unless it has lapsed.
    ///   - needsSecond: whether the sandbox requires two persons for this.
    package static func verdict(
        _ pending: Pending?,
        _ action: DecisionAction,
        because reason: RetakeReason? = nil,
        by subject: String,
        needsSecond: Bool
    ) -> Verdict {
        guard let pending else { return needsSecond ? .waits : .goes(first: nil) }
        let decider = pending.second ?? pending.subject
        if pending.action == action, pending.reason == reason {
            let isSecond = pending.needsSecond && pending.second == nil && pending.subject != subject
            return isSecond ? .goes(first: pending.subject) : .stands
        }
        // A person may change the decision, unless a second person has confirmed it.
        guard decider == subject, pending.second == nil else { return .taken(by: decider) }
        return needsSecond ? .waits : .goes(first: nil)
    }
}

extension DecisionAction {
    /// The listed actions that each make two persons decide this one alike.
    ///
    /// - Parameters:
    ///   - isHeldByRule: whether a rule holds the card: a retry bypasses the rule, as accepting does.
    ///   - isInDispute: whether the card is a front of a dispute: a decision against it lets the cards of the other person be sent.
    package func listed(isHeldByRule: Bool, isInDispute: Bool) -> [DecisionAction] {
        switch self {
        case .accept, .delivered, .resend, .erase: [self]
        case .retry: isHeldByRule ? [.retry, .accept] : [.retry]
        case .anew: [.accept]
        case .holder: [.accept, .reject]
        case .retake, .reject: isInDispute ? [.reject, .accept] : [.reject]
        }
    }
}
