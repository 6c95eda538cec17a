/// A decision as a page offers it: its words, its key, and what a person does before it counts.
///
/// One table for each reason and action. Whether a card allows a decision is a matter of ``OperatorRules``.
package struct ReviewAction: Hashable, Sendable {
    /// What the person gives before the decision is sent.
    package enum Asks: Hashable, Sendable {
        case nothing
        /// Confirms in a box what the person has checked.
        case confirmation
        /// Writes why.
        case text
        /// Confirms in a box what will happen, and writes why.
        case confirmedText
        /// Chooses why the photo is returned.
        case reason
    }

    package let action: DecisionAction
    package let label: Message
    /// The key that presses it, or opens what it asks; only a good photo that surely was not sent goes by a single key.
    package let key: Character?
    /// Whether the person must have looked at the photo as the card is now.
    package let needsLook: Bool
    package let asks: Asks

    private init(_ action: DecisionAction, _ label: Message, _ key: Character?, needsLook: Bool, asks: Asks = .nothing)
    {
        (self.action, self.label, self.key) = (action, label, key)
        (self.needsLook, self.asks) = (needsLook, asks)
    }

    /// Returns how a decision about a card is offered; `nil` for one that no page offers.
    ///
    /// - Parameter person: the number of the person on the card, of several that the fronts of its case name.
    package init?(_ action: DecisionAction, about card: Card, person: Int? = nil) {
        switch action {
        case .accept: self = Self.accept(card)
        case .retake where card.reason == .businessNumberPersonal:
            self.init(.retake, .reviewReturnNumber, "R", needsLook: true)
        case .retake: self.init(.retake, .reviewReturn, "R", needsLook: true, asks: .reason)
        case .reject where card.state == .rejected:
            self.init(.reject, .reviewNotOfPerson, "X", needsLook: true, asks: .text)
        case .reject: self.init(.reject, .reviewReject, "X", needsLook: true, asks: .confirmedText)
        case .holder:
            let key = person.flatMap { (1...4).contains($0) ? Character("\($0)") : nil }
            self.init(.holder, .reviewHolder(person ?? 0), key, needsLook: true)
        case .delivered: self.init(.delivered, .reviewDelivered, "D", needsLook: false, asks: .confirmation)
        case .resend: self.init(.resend, .reviewResend, "E", needsLook: false, asks: .confirmation)
        case .anew: self.init(.anew, .reviewAnew, "N", needsLook: false, asks: .confirmation)
        case .retry where card.reason == .takenEarlier: self.init(.retry, .reviewUsePhoto, "T", needsLook: true)
        case .retry where card.reason == .retcodeUnlisted: self.init(.retry, .reviewJudgeByList, "T", needsLook: false)
        // What a rule holds is passed, returned or rejected; once more asked, the verifier may answer what it lacked.
        case .retry where card.state == .held && card.reason != VerdictRule.legalityUnavailable.reason: return nil
        case .retry: self.init(.retry, .reviewRetry, "T", needsLook: false)
        case .erase: return nil
        }
    }

    private static func accept(_ card: Card) -> ReviewAction {
        switch card.reason {
        case _ where card.state == .rejected: Self(.accept, .reviewTakeBack, nil, needsLook: true, asks: .confirmation)
        case .submitterConflict, .caseRejected: Self(.accept, .reviewLetIn, "I", needsLook: true)
        case .frontMissing, .memberMismatch: Self(.accept, .reviewSendAlone, "B", needsLook: true, asks: .confirmation)
        case .businessNumberPersonal: Self(.accept, .reviewNumberRight, nil, needsLook: true, asks: .confirmation)
        case .holderConflict: Self(.accept, .reviewBothBelong, nil, needsLook: true, asks: .confirmation)
        case let reason? where VerdictRule.ofOtherCard.contains(reason):
            Self(.accept, .reviewOneCard, "A", needsLook: true)
        default: Self(.accept, .reviewPass, "A", needsLook: true)
        }
    }
}

/// What rejecting a card for good does, the smallest first.
package enum RejectEffect: Int, Comparable, Sendable {
    /// A refused photo no longer says whose the number is.
    case holder
    /// Only the card ends.
    case card
    /// The case ends with it.
    case wholeCase

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

extension DecisionAction {
    /// Whether a person must have looked at the photo before the decision counts on a page.
    package func needsLook(about card: Card) -> Bool { ReviewAction(self, about: card)?.needsLook ?? false }

    /// Whether an earlier look suffices, whatever happened since.
    package var acceptsEarlierLook: Bool { self == .retake || self == .reject }
}
