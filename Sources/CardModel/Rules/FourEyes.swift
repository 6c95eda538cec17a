/// What becomes of a person's decision about a card, by what another person decided about it.
package enum FourEyes {
    /// A decision that was written down and is not carried out yet.
    package struct Pending: Hashable, Sendable {
        package var action: DecisionAction
        /// Who decided first.
        package var subject: String
        /// Who decided the same after that.
        package var second: String?
        package var needsSecond: Bool

        package init(_ action: DecisionAction, by subject: String, second: String? = nil, needsSecond: Bool) {
            (self.action, self.subject, self.second, self.needsSecond) = (action, subject, second, needsSecond)
        }
    }

    package enum Verdict: Hashable, Sendable {
        /// It is carried out, with the name of the person who decided the same first.
        case goes(first: String?)
        /// It is written down for a second person.
        case waits
        /// The same is written down already.
        case stands
        case taken(by: String)
    }

    /// Judges a decision; pure.
    ///
    /// - Parameters:
    ///   - pending: what counts of the card: not what has lapsed.
    ///   - needsSecond: whether the sandbox asks two persons for this.
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
        // A person may think again, unless it is two persons' word by now.
        guard decider == subject, pending.second == nil else { return .taken(by: decider) }
        return needsSecond ? .waits : .goes(first: nil)
    }
}
