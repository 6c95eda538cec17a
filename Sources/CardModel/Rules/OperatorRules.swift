/// A decision of a person about a card, by command, over HTTP or on a page.
///
/// The raw values are stored in the sandbox, and `review.four_eyes` names them.
package enum DecisionAction: String, CaseIterable, Sendable, Codable {
    /// As ``Resolution/accept``, ``Resolution/delivered``, ``Resolution/resend`` and ``Resolution/reject``.
    case accept = "accept", delivered = "delivered", resend = "resend", reject = "reject"
    /// The card is processed again.
    case retry = "retry"
    /// All data of the card is erased.
    case erase = "erase"

    /// Creates the decision of a resolution; `nil` for a resolution that decides nothing about the card.
    package init?(_ resolution: Resolution) { self.init(rawValue: resolution.rawValue) }

    /// The action in the access log, and for scopes.
    package var access: AccessAction {
        switch self {
        case .accept, .delivered, .resend, .reject: .resolve
        case .retry: .retry
        case .erase: .erase
        }
    }
}

/// Which decisions are allowed for a card.
///
/// A refusal is a `card_conflict` that names what to do instead, and only commands that are allowed.
package enum OperatorRules {
    /// Facts for a decision that the card itself does not hold.
    package struct Circumstances: OptionSet, Sendable {
        package let rawValue: Int

        /// Its prepared image exists, or can be made from source bytes or an address.
        package static let hasImage = Self(rawValue: 1)
        /// The verifier has read it.
        package static let wasRead = Self(rawValue: 2)
        /// An attempt to send it is in progress.
        package static let isUnderWay = Self(rawValue: 4)
        /// An attempt of a delivery of it may have been applied.
        package static let mayBeAtBackend = Self(rawValue: 8)
        /// A delivery of it is stored as sent, so that the same bytes can be sent again.
        package static let hasKeptDelivery = Self(rawValue: 16)
        /// A newer photo of its side was delivered, or may still be.
        package static let isReplaced = Self(rawValue: 32)
        /// A newer photo of its side was delivered, or is being sent.
        package static let isOvertaken = Self(rawValue: 64)
        /// A list of `delivery.retcode` now has the code that the backend answered; then none had it.
        package static let isListedNow = Self(rawValue: 128)

        package init(rawValue: Int) { self.rawValue = rawValue }
    }

    /// Checks that a decision about a card is allowed.
    package static func require(
        _ action: DecisionAction,
        of card: Card,
        under circumstances: Circumstances
    ) throws(CodedError) {
        if let resolution = Resolution(rawValue: action.rawValue) {
            try Self.requireResolution(of: card, as: resolution, under: circumstances)
        } else if action == .retry {
            var card = card
            // Without its delivery it is `verified`, unless the delivery may have arrived.
            if card.state == .delivering { card.state = .verified }
            try Self.requireRetry(of: card, under: circumstances)
        }
    }

    /// Checks that a card may be processed again.
    package static func requireRetry(of card: Card, under circumstances: Circumstances) throws(CodedError) {
        try Self.requireImage(card, under: circumstances)
        switch card.state {
        case .rejected where card.reason == .rejectedByOperator:
            throw Self.refusal(card, .operatorRejected)
        case .rejected, .failed, .held, .superseded: break
        case _ where card.hasFailed && card.state != .delivering: break
        default:
            throw Self.refusal(card, .operatorRetryState(card.state))
        }
        guard !circumstances.contains(.isUnderWay) else { throw Self.refusal(card, .operatorUnderWay) }
        if card.state == .held, card.reason == .retcodeUnlisted {
            guard circumstances.contains(.isListedNow) else {
                throw Self.refusal(card, .operatorStillUnlisted(card.remoteCode ?? ""))
            }
            return
        }
        if circumstances.contains(.mayBeAtBackend) {
            throw Self.refusal(card, Self.mayBeDelivered(card, under: circumstances))
        }
        if card.state == .held, card.reason == .submitterConflict || card.reason == .holderConflict {
            throw Self.refusal(card, .operatorDecide(card.id))
        }
        // A photo superseded because it was taken earlier becomes the newest of its side.
        if circumstances.contains(.isReplaced), card.reason != .takenEarlier {
            throw Self.refusal(card, .operatorReplaced)
        }
        if !circumstances.contains(.hasImage) { throw Self.refusal(card, .operatorNoImage) }
    }

    /// Checks that a card may be resolved.
    package static func requireResolution(
        of card: Card,
        as resolution: Resolution,
        under circumstances: Circumstances
    ) throws(CodedError) {
        guard !circumstances.contains(.isUnderWay) else { throw Self.refusal(card, .operatorUnderWay) }
        switch resolution {
        case .reject: try Self.requireRejecting(card)
        case .delivered: try Self.requireDelivered(card, under: circumstances)
        case .resend: try Self.requireResending(card, under: circumstances)
        case .accept: try Self.requireAccepting(card, under: circumstances)
        case .seen: try Self.requireSeeing(card)
        // Withdrawing is checked where the pending decision is stored.
        case .withdraw: break
        }
    }

    /// A card that has failed or waits for a person may be rejected; a card rejected by a rule, too: it then no longer
    /// counts for the holder of its number.
    private static func requireRejecting(_ card: Card) throws(CodedError) {
        switch card.state {
        case .held, .failed: return
        case .rejected where card.reason != .rejectedByOperator: return
        case .verified where card.reason.map(ReasonCode.needingAttention.contains) == true: return
        case _ where card.hasFailed: return
        default:
            throw Self.refusal(card, .operatorRejectState(card.state))
        }
    }

    /// Requires that the backend may have the card; the refusal names a command that is allowed instead.
    private static func requireDelivered(_ card: Card, under circumstances: Circumstances) throws(CodedError) {
        switch card.state {
        case .held, .failed, .delivering: break
        default:
            throw Self.refusal(card, .operatorDeliveredState(card.state))
        }
        // If a damaged sandbox lost the delivery of a card, state or reason still show that it was sent.
        let wasSent = card.delivery != nil || card.state == .delivering || card.reason == .outcomeUnknown
        guard !wasSent, card.reason != .restored, !circumstances.contains(.mayBeAtBackend) else { return }
        if card.state == .failed {
            try Self.requireRetry(of: card, under: circumstances)
            throw Self.refusal(card, .operatorNeverSentFailed(card.id))
        }
        try Self.requireAccepting(card, under: circumstances)
        throw Self.refusal(card, .operatorNeverSent(card.id))
    }

    private static func requireResending(_ card: Card, under circumstances: Circumstances) throws(CodedError) {
        try Self.requireImage(card, under: circumstances)
        switch card.state {
        case .held where circumstances.contains(.hasKeptDelivery): break
        case .held:
            try Self.requireAccepting(card, under: circumstances)
            throw Self.refusal(card, .operatorNothingToResend(card.id))
        case .failed:
            try Self.requireRetry(of: card, under: circumstances)
            throw Self.refusal(card, .operatorNothingToResendFailed(card.id))
        default:
            throw Self.refusal(card, .operatorResendState(card.state))
        }
        // The older photo would arrive last and replace the newer one. A newer photo that waits for this one is sent
        // after it.
        guard !circumstances.contains(.isOvertaken) else { throw Self.refusal(card, .operatorNewerSent) }
    }

    /// A delivered card whose image is gone cannot be sent once more.
    private static func requireImage(_ card: Card, under circumstances: Circumstances) throws(CodedError) {
        if card.state == .delivered, !circumstances.contains(.hasImage) {
            throw Self.refusal(card, .operatorImageDropped)
        }
    }

    private static func requireAccepting(_ card: Card, under circumstances: Circumstances) throws(CodedError) {
        let mayGoAlone = card.state == .verified && card.reason == .frontMissing
        guard card.state == .held || mayGoAlone else {
            throw Self.refusal(card, .operatorAcceptState(card.state))
        }
        guard card.reason != .submitterConflict else { return }
        guard circumstances.contains(.wasRead) else {
            try Self.requireRetry(of: card, under: circumstances)
            throw Self.refusal(card, .operatorNotVerified(card.id))
        }
        guard card.side != nil else { throw Self.refusal(card, .operatorNoSide) }
    }

    /// Requires a state in which every run reports the card; only such a card may be marked as seen.
    private static func requireSeeing(_ card: Card) throws(CodedError) {
        switch card.state {
        case .rejected, .failed, .held, .superseded: return
        case .verified where card.reason.map(ReasonCode.needingAttention.contains) == true: return
        default:
            throw Self.refusal(card, .operatorSeenState(card.state))
        }
    }

    /// Returns what to do about a card that the backend may hold; names only allowed decisions.
    private static func mayBeDelivered(_ card: Card, under circumstances: Circumstances) -> Message {
        // A runnable card is in a delivery that is sent again automatically; a held card waits for a person.
        guard !card.state.isRunnable else { return .operatorSentAgain(card.id) }
        var decisions: [Resolution] = []
        if card.state == .held {
            let isKept = circumstances.contains(.hasKeptDelivery) && !circumstances.contains(.isOvertaken)
            if isKept { decisions.append(.resend) }
            if circumstances.contains(.wasRead), card.side != nil { decisions.append(.accept) }
        }
        return .operatorMayBeDelivered(card.id, or: (decisions + [.reject]).map { "--as \($0.rawValue)" })
    }

    private static func refusal(_ card: Card, _ why: Message) -> CodedError {
        CodedError(.cardConflict, .conflict, .operatorRefused(card.id, why))
    }
}

extension Card {
    /// Whether its stage failed on it and waits to try again.
    fileprivate var hasFailed: Bool { self.state.isRunnable && (self.failures > 0 || self.due != nil) }
}
