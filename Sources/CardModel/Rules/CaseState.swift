/// Where a case stands: the first of these that fits one of its cards, else what was delivered of it.
///
/// The raw values are stored in the sandbox and printed to users.
package enum CaseState: String, CaseIterable, Sendable, Codable {
    /// A person must decide about a card.
    case decide
    /// A card's attempts are used up.
    case failed
    /// A photo was refused and must be taken again.
    case retake
    /// A card goes on by itself.
    case inProgress = "in_progress"
    /// Nothing is in progress, and a side was not delivered.
    case incomplete
    /// Both sides were delivered.
    case complete

    /// Whether a person is to do something about one of its cards.
    package var needsPerson: Bool {
        switch self {
        case .decide, .failed, .retake: true
        case .inProgress, .incomplete, .complete: false
        }
    }
}

/// Where a case stands, and the card that is the first cause of it.
package struct CaseStanding: Hashable, Sendable {
    package let state: CaseState
    /// The card that has it in this state; `nil` if that is what was delivered.
    package let card: CardID?
    /// Why that card stands where it does, as lists of cards say it: the remote's own code where its answer decided.
    package let cause: String?

    package init(_ state: CaseState, card: CardID? = nil, cause: String? = nil) {
        self.state = state
        self.card = card
        self.cause = cause
    }

    /// Judges a case by its cards.
    ///
    /// The first cause is that of a front rather than of the back that waits for it, and of the older card.
    ///
    /// - Parameters:
    ///   - cards: its cards, in any order.
    ///   - delivered: the sides that were delivered, by cards that are erased, too.
    /// - Returns: `nil` if nothing is left of the case.
    package init?(of cards: [CaseCard], delivered: Set<CardSide>) {
        let live = cards.filter { ![.superseded, .erased].contains($0.state) }
            .sorted { ($0.isBack ? 1 : 0, $0.order) < ($1.isBack ? 1 : 0, $1.order) }
        let needs = live.compactMap { card in card.need(among: live).map { (card: card, state: $0) } }
        for state in CaseState.allCases {
            guard let first = needs.first(where: { $0.state == state }) else { continue }
            self.init(state, card: first.card.id, cause: first.card.shownReason)
            return
        }
        guard !live.isEmpty || !delivered.isEmpty else { return nil }
        self.init(delivered.count == CardSide.allCases.count ? .complete : .incomplete)
    }
}

/// A card as its case sees it.
package struct CaseCard: Sendable {
    let id: CardID
    let state: CardState
    let reason: ReasonCode?
    let shownReason: String?
    let side: CardSide?
    let order: Int64
    private let notice: CardNotice

    /// - Parameters:
    ///   - side: the side that the verifier saw, else the one that its sender named.
    ///   - order: its place among all inputs.
    ///   - isSeen: whether a person said that it counts no longer.
    ///   - isRetaken: whether a later photo of its number and side was delivered.
    package init(
        id: CardID,
        state: CardState,
        reason: ReasonCode?,
        remoteCode: String? = nil,
        side: CardSide?,
        order: Int64,
        isSeen: Bool = false,
        isRetaken: Bool = false
    ) {
        self.id = id
        self.state = state
        self.reason = reason
        self.shownReason = reason?.shown(remoteCode)
        self.side = side
        self.order = order
        self.notice = CardNotice(state, reason, isSeen: isSeen, isRetaken: isRetaken)
    }

    var isBack: Bool { self.side == .back }

    /// What the card has its case wait for.
    func need(among others: [CaseCard]) -> CaseState? {
        switch self.notice {
        // The front says what is the matter, or is on its way.
        case .attention(.decide) where self.reason == .frontMissing && others.contains { !$0.isBack && $0.isUnsettled }:
            .inProgress
        case .attention where self.isReplaced(among: others): nil
        case .attention(.decide): self.state == .failed ? .failed : .decide
        case .attention(.retake): .retake
        case .nothing, .line, .blocked: self.state.isRunnable ? .inProgress : nil
        }
    }

    private var isUnsettled: Bool { self.notice.needsPerson || self.state.isRunnable }

    /// Whether a later photo of its side is on its way or delivered, so that nothing is to be done about this one.
    private func isReplaced(among others: [CaseCard]) -> Bool {
        guard self.state == .rejected || self.state == .failed, let side else { return false }
        return others.contains {
            $0.side == side && $0.order > self.order && ($0.state.isRunnable || $0.state == .delivered)
        }
    }
}
