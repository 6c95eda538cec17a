/// What to report about a card: the only rule for the line, count and exit status of a run, and for `status` and lists.
package enum CardNotice: Hashable, Sendable {
    /// Nothing: it continues by itself, was delivered, or no longer counts.
    case nothing
    /// A line and no more: a person or a newer photo decided about it.
    case line
    /// Waits for another card, which may need a person.
    case blocked
    case attention(CardAttention)

    /// Decides by the state of a card.
    ///
    /// - Parameters:
    ///   - isSeen: whether a person marked it as seen, so that it no longer counts.
    ///   - isRetaken: whether a later photo of its number and side was delivered.
    package init(_ state: CardState, _ reason: ReasonCode?, isSeen: Bool, isRetaken: Bool) {
        self =
            switch state {
            case .erased: .line
            case _ where isSeen: .nothing
            case .superseded: .line
            case _ where isRetaken: .nothing
            case .failed, .held: .attention(.decide)
            case .rejected: reason.map(ReasonCode.endingCase.contains) == true ? .line : .attention(.retake)
            case .verified: reason.map(Self.ofWaiting) ?? .nothing
            case .fetching, .received, .prepared, .delivering, .delivered: .nothing
            }
    }

    private static func ofWaiting(_ reason: ReasonCode) -> CardNotice {
        if ReasonCode.needingAttention.contains(reason) { return .attention(.retake) }
        return ReasonCode.waitingForCard.contains(reason) ? .blocked : .nothing
    }

    /// Whether the card itself needs a person.
    package var needsPerson: Bool { if case .attention = self { true } else { false } }

    /// Whether the exit status of a run over the card must not be success.
    package var isFailure: Bool {
        switch self {
        case .nothing, .line: false
        case .blocked, .attention: true
        }
    }
}

/// The reason why a card needs a person.
package enum CardAttention: String, CaseIterable, Sendable {
    /// A reviewer or an operator decides: it is held, or failed.
    case decide = "decide"
    /// The submitter sends something: it was refused, or lacks a front or a user account.
    case retake = "retake"
}

extension Card {
    package var notice: CardNotice {
        CardNotice(self.state, self.reason, isSeen: self.isSeen, isRetaken: self.isRetaken)
    }

    /// Whether it has work to do; a card that waits for a person or another card has none.
    package var hasWork: Bool {
        guard self.state == .verified, let reason else { return self.state.isRunnable }
        return !ReasonCode.needingAttention.union(ReasonCode.waitingForCard).contains(reason)
    }
}
