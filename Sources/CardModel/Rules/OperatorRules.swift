/// A decision of a person about a card, by command, over HTTP or on a page.
///
/// The raw values are stored in the sandbox, and `review.four_eyes` names them.
package enum DecisionAction: String, CaseIterable, Sendable, Codable {
    /// As the ``Resolution`` of the same name.
    case accept = "accept", delivered = "delivered", resend = "resend", anew = "anew"
    case retake = "retake", reject = "reject", holder = "holder"
    /// The card is processed again.
    case retry = "retry"
    /// All data of the card is erased.
    case erase = "erase"

    /// Creates the decision of a resolution; `nil` for a resolution that decides nothing about the card.
    package init?(_ resolution: Resolution) { self.init(rawValue: resolution.rawValue) }

    /// The actions that `review.four_eyes` may name; those that it may not are covered by them.
    package static let listed: [DecisionAction] = [.accept, .delivered, .resend, .reject, .retry, .erase]

    /// The action in the access log, and for scopes.
    package var access: AccessAction {
        switch self {
        case .accept, .delivered, .resend, .anew, .retake, .reject, .holder: .resolve
        case .retry: .retry
        case .erase: .erase
        }
    }
}

/// Which decisions are allowed for a card.
///
/// A refusal is a `card_conflict` that names what to do instead, and only commands that are allowed.
package struct OperatorRules {
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
        /// The fronts of its case name several persons, and it is one of them.
        package static let namesOnePerson = Self(rawValue: 256)
        /// Any newer photo of its side has come.
        package static let hasNewerPhoto = Self(rawValue: 512)
        /// A reviewer ended its case after it came.
        package static let isCaseEnded = Self(rawValue: 1_024)

        package init(rawValue: Int) { self.rawValue = rawValue }
    }

    private var card: Card
    private let circumstances: Circumstances

    package init(of card: Card, under circumstances: Circumstances) {
        (self.card, self.circumstances) = (card, circumstances)
    }

    /// Checks that a decision about the card is allowed.
    package func require(_ action: DecisionAction) throws(CodedError) {
        if let resolution = Resolution(rawValue: action.rawValue) {
            try self.require(resolution)
        } else if action == .retry {
            var rules = self
            // Without its delivery it is `verified`, unless the delivery may have arrived.
            if self.card.state == .delivering { rules.card.state = .verified }
            try rules.requireRetry()
        }
    }

    /// Checks that the card may be processed again.
    package func requireRetry() throws(CodedError) {
        try self.requireImage()
        switch self.card.state {
        case .rejected where self.isByPerson: throw self.refusal(.operatorRejected)
        case let state
        where self.circumstances.contains(.isCaseEnded) && [.rejected, .failed, .superseded].contains(state):
            throw self.refusal(.operatorCaseEnded)
        case .rejected, .failed, .held, .superseded: break
        case _ where self.card.hasFailed && self.card.state != .delivering: break
        default: throw self.refusal(.operatorRetryState(self.card.state))
        }
        guard !self.circumstances.contains(.isUnderWay) else { throw self.refusal(.operatorUnderWay) }
        if self.card.state == .held, self.card.reason == .retcodeUnlisted {
            guard self.circumstances.contains(.isListedNow) else {
                throw self.refusal(.operatorStillUnlisted(self.card.remoteCode ?? ""))
            }
            return
        }
        // What came of a restored card since the backup is not known.
        if self.circumstances.contains(.mayBeAtBackend) || self.card.state == .held && self.card.reason == .restored {
            throw self.refusal(self.mayBeDelivered)
        }
        if self.card.state == .held, self.isLetIn || self.hasDoubtedNumber || self.card.reason == .holderConflict {
            throw self.refusal(.operatorDecide(self.card.id))
        }
        // A photo superseded because it was taken earlier becomes the newest of its side.
        if self.circumstances.contains(.isReplaced), self.card.reason != .takenEarlier {
            throw self.refusal(.operatorReplaced)
        }
        if !self.circumstances.contains(.hasImage) { throw self.refusal(.operatorNoImage) }
    }

    /// Checks that the card may be resolved.
    package func require(_ resolution: Resolution) throws(CodedError) {
        guard !self.circumstances.contains(.isUnderWay) else { throw self.refusal(.operatorUnderWay) }
        switch resolution {
        case .reject: try self.requireRejecting()
        case .retake: try self.requireReturning()
        case .holder:
            guard self.circumstances.contains(.namesOnePerson) else { throw self.refusal(.operatorNoDispute) }
        case .anew: try self.requireSendingAnew()
        case .delivered: try self.requireDelivered()
        case .resend: try self.requireResending()
        case .accept: try self.requireAccepting()
        case .seen: try self.requireSeeing()
        // Checked where the pending decision is stored.
        case .withdraw, .disagree: break
        }
    }

    /// A card that has failed or waits for a person may be rejected; a card rejected by a rule, too: it then no longer
    /// counts for the holder of its number.
    private func requireRejecting() throws(CodedError) {
        switch self.card.state {
        case .held, .failed: return
        case .rejected where !self.isByPerson: return
        case .verified where self.card.reason.map(ReasonCode.needingAttention.contains) == true: return
        case _ where self.card.hasFailed: return
        default: throw self.refusal(.operatorRejectState(self.card.state))
        }
    }

    /// Requires a card that a person examines and that surely was not sent.
    private func requireReturning() throws(CodedError) {
        guard self.card.state == .held || self.card.state == .failed, !self.isLetIn else {
            throw self.refusal(.operatorRetakeState(self.card.state))
        }
        guard !self.isPerhapsDelivered else { throw self.refusal(self.mayBeDelivered) }
    }

    private func requireSendingAnew() throws(CodedError) {
        guard self.card.state == .held, self.card.reason.map(ReasonCode.perhapsDelivered.contains) == true else {
            throw self.refusal(.operatorAnewState(self.card.id))
        }
        guard !self.circumstances.contains(.isCaseEnded) else { throw self.refusal(.operatorCaseEnded) }
        guard self.circumstances.contains(.hasImage) else { throw self.refusal(.operatorNoImage) }
        guard !self.circumstances.contains(.wasRead) || self.card.side != nil else {
            throw self.refusal(.operatorNoSide)
        }
    }

    /// Whether a person ended or returned it.
    private var isByPerson: Bool { self.card.reason.map(ReasonCode.byPerson.contains) == true }
    /// Whether it waits for a person to let it in, before it is verified.
    private var isLetIn: Bool { self.card.reason.map(ReasonCode.letInByPerson.contains) == true }
    /// Whether it waits for a person because its number may name a person, verified or not.
    private var hasDoubtedNumber: Bool { self.card.reason == .businessNumberPersonal }
    private var isPerhapsDelivered: Bool {
        self.circumstances.contains(.mayBeAtBackend)
            || self.card.state == .held && self.card.reason.map(ReasonCode.perhapsDelivered.contains) == true
    }

    /// Requires that the backend may have the card; the refusal names a command that is allowed instead.
    private func requireDelivered() throws(CodedError) {
        switch self.card.state {
        case .held, .failed, .delivering: break
        default: throw self.refusal(.operatorDeliveredState(self.card.state))
        }
        // If a damaged sandbox lost the delivery of a card, state or reason still show that it was sent.
        let wasSent = self.card.delivery != nil || self.card.state == .delivering
        guard !wasSent, !self.isPerhapsDelivered else { return }
        if self.card.state == .failed {
            try self.requireRetry()
            throw self.refusal(.operatorNeverSentFailed(self.card.id))
        }
        try self.requireAccepting()
        throw self.refusal(.operatorNeverSent(self.card.id))
    }

    private func requireResending() throws(CodedError) {
        try self.requireImage()
        switch self.card.state {
        case .held where self.circumstances.contains(.hasKeptDelivery): break
        case .held where self.isPerhapsDelivered:
            try self.requireSendingAnew()
            throw self.refusal(.operatorNothingToResend(self.card.id))
        case .held:
            try self.requireAccepting()
            throw self.refusal(.operatorNeverSent(self.card.id))
        case .failed:
            try self.requireRetry()
            throw self.refusal(.operatorNothingToResendFailed(self.card.id))
        default: throw self.refusal(.operatorResendState(self.card.state))
        }
        // If a newer photo was sent or is being sent, this older one would arrive last and replace it. A newer photo that still
        // waits does not matter: it is sent after this one.
        guard !self.circumstances.contains(.isOvertaken) else { throw self.refusal(.operatorNewerSent) }
    }

    /// A delivered card whose image is gone cannot be sent once more.
    private func requireImage() throws(CodedError) {
        if self.card.state == .delivered, !self.circumstances.contains(.hasImage) {
            throw self.refusal(.operatorImageDropped)
        }
    }

    private func requireAccepting() throws(CodedError) {
        if self.card.state == .rejected, self.isByPerson, self.card.reason != .rejectedByOperator {
            guard !self.circumstances.contains(.isCaseEnded) else { throw self.refusal(.operatorCaseEnded) }
            guard !self.circumstances.contains(.hasNewerPhoto) else { throw self.refusal(.operatorReplaced) }
            return
        }
        let mayGoAlone = self.card.state == .verified && self.card.reason == .frontMissing
        guard self.card.state == .held || mayGoAlone else { throw self.refusal(.operatorAcceptState(self.card.state)) }
        guard !self.isLetIn, !self.hasDoubtedNumber else { return }
        guard !self.isPerhapsDelivered else { throw self.refusal(self.mayBeDelivered) }
        guard self.circumstances.contains(.wasRead) else {
            try self.requireRetry()
            throw self.refusal(.operatorNotVerified(self.card.id))
        }
        guard self.card.side != nil else { throw self.refusal(.operatorNoSide) }
    }

    /// Requires a state in which every run reports the card; only such a card may be marked as seen.
    private func requireSeeing() throws(CodedError) {
        switch self.card.state {
        case .rejected, .failed, .held, .superseded: return
        case .verified where self.card.reason.map(ReasonCode.needingAttention.contains) == true: return
        default: throw self.refusal(.operatorSeenState(self.card.state))
        }
    }

    /// What to do if the backend may hold the card; names only allowed decisions.
    private var mayBeDelivered: Message {
        // A runnable card is in a delivery that is sent again automatically; a held card waits for a person.
        guard !self.card.state.isRunnable else { return .operatorSentAgain(self.card.id) }
        var decisions: [Resolution] = []
        if self.card.state == .held {
            let isKept = self.circumstances.contains(.hasKeptDelivery) && !self.circumstances.contains(.isOvertaken)
            if isKept { decisions.append(.resend) }
            if (try? self.requireSendingAnew()) != nil { decisions.append(.anew) }
        }
        let commands = (decisions + [.reject]).map { "--as \($0.rawValue)" }
        guard self.card.state == .held, self.card.reason == .retcodeUnlisted else {
            return .operatorMayBeDelivered(self.card.id, or: commands)
        }
        let isListed = self.circumstances.contains(.isListedNow)
        guard !isListed else { return .operatorListed(self.card.id) }
        return .operatorUnlisted(self.card.id, self.card.remoteCode ?? "-", or: commands)
    }

    private func refusal(_ why: Message) -> CodedError {
        CodedError(.cardConflict, .conflict, .operatorRefused(self.card.id, why))
    }
}

extension Card {
    /// Whether its stage failed on it and waits to try again.
    fileprivate var hasFailed: Bool { self.state.isRunnable && (self.failures > 0 || self.due != nil) }
}
