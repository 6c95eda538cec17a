/// What a person is told of a card: the one rule for the line, count and exit status of a run, and for what `status` and
/// lists show.
package enum CardNotice: Hashable, Sendable {
    /// Nothing: it goes on by itself, was delivered, or no longer counts.
    case nothing
    /// A line and no more: a person or a newer photo decided about it.
    case line
    /// It waits for another card, which may need a person.
    case blocked
    case attention(CardAttention)

    /// Decides by where a card stands.
    ///
    /// - Parameters:
    ///   - isSeen: whether a person said that it counts no longer.
    ///   - isRetaken: whether a later photo of its number and side was delivered.
    package init(_ state: CardState, _ reason: ReasonCode?, isSeen: Bool, isRetaken: Bool) {
        let isRetaken = isRetaken && reason != .submitterConflict
        self =
            switch state {
            case .erased: .line
            case _ where isSeen: .nothing
            case .superseded: .line
            case _ where isRetaken: .nothing
            case .failed, .held: .attention(.decide)
            case .rejected: reason == .rejectedByOperator ? .line : .attention(.retake)
            case .verified: reason.map(Self.ofWaiting) ?? .nothing
            case .fetching, .received, .prepared, .delivering, .delivered: .nothing
            }
    }

    private static func ofWaiting(_ reason: ReasonCode) -> CardNotice {
        if ReasonCode.needingAttention.contains(reason) { return .attention(.decide) }
        return ReasonCode.waitingForCard.contains(reason) ? .blocked : .nothing
    }

    /// Whether the card itself needs a person.
    package var needsPerson: Bool { if case .attention = self { true } else { false } }

    /// Whether a run over the card must not end as if all was delivered.
    package var isFailure: Bool {
        switch self {
        case .nothing, .line: false
        case .blocked, .attention: true
        }
    }
}

/// What a card needs a person for.
package enum CardAttention: String, CaseIterable, Sendable {
    /// To decide: it failed, is held, or lacks what only a person can give.
    case decide = "decide"
    /// To take the photo again: it was refused.
    case retake = "retake"
}

extension Card {
    package var notice: CardNotice {
        CardNotice(self.state, self.reason, isSeen: self.isSeen, isRetaken: self.isRetaken)
    }

    /// Whether there is work to do for it; one that waits for a person, or for another card, can do nothing by itself.
    package var hasWork: Bool {
        guard self.state == .verified, let reason else { return self.state.isRunnable }
        return !ReasonCode.needingAttention.union(ReasonCode.waitingForCard).contains(reason)
    }
}
