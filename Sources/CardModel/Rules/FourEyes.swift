/// The effect of a person's decision about a card, given the decision of another person.
package enum FourEyes {
    /// A decision that is stored and not yet carried out.
    package struct Pending: Hashable, Sendable {
        package var action: DecisionAction
        /// The person who decided first.
        package var subject: String
        /// The second person, who decided the same.
        package var second: String?
        package var needsSecond: Bool

        package init(_ action: DecisionAction, by subject: String, second: String? = nil, needsSecond: Bool) {
            (self.action, self.subject, self.second, self.needsSecond) = (action, subject, second, needsSecond)
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
        by subject: String,
        needsSecond: Bool
    ) -> Verdict {
        guard let pending else { return needsSecond ? .waits : .goes(first: nil) }
        let decider = pending.second ?? pending.subject
        if pending.action == action {
            let isSecond = pending.needsSecond && pending.second == nil && pending.subject != subject
            return isSecond ? .goes(first: pending.subject) : .stands
        }
        // A person may change the decision, unless a second person has confirmed it.
        guard decider == subject, pending.second == nil else { return .taken(by: decider) }
        return needsSecond ? .waits : .goes(first: nil)
    }
}
