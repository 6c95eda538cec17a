/// The state of a case: the first that applies to one of its cards, else by the sides delivered.
///
/// The raw values are stored in the sandbox and printed to users.
package enum CaseState: String, CaseIterable, Sendable, Codable {
    /// A person must decide about a card.
    case decide = "decide"
    /// A card's attempts are used up.
    case failed = "failed"
    /// The submitter must act: a photo was refused, or a front or a user account was never given.
    case retake = "retake"
    /// A card continues by itself.
    case inProgress = "in_progress"
    /// Nothing is in progress, and a side was not delivered.
    case incomplete = "incomplete"
    /// Both sides were delivered.
    case complete = "complete"
    /// A person ended it: nothing more of it is sent.
    case rejected = "rejected"
    /// All its cards are erased.
    case erased = "erased"

    /// Whether a person must act on one of its cards.
    package var needsPerson: Bool {
        switch self {
        case .decide, .failed, .retake: true
        case .inProgress, .incomplete, .complete, .rejected, .erased: false
        }
    }
}

/// The state of a case, and the card that causes it.
package struct CaseStatus: Hashable, Sendable {
    package let state: CaseState
    /// The card on which a person must act; `nil` if there is nothing to do.
    package let card: CardID?
    /// The reason of that card as in lists of cards: the remote's own code where its answer decided.
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
    ///   - isRejected: whether a person ended the case.
    /// - Returns: `nil` if the case has no card.
    package init?(of all: [Card], delivered: Set<CardSide>, isRejected: Bool = false) {
        let cards = all.filter { $0.state != .erased }
            .sorted { ($0.anySide == .back ? 1 : 0, $0.order) < ($1.anySide == .back ? 1 : 0, $1.order) }
        guard !cards.isEmpty else {
            guard !all.isEmpty else { return nil }
            self.init(.erased)
            return
        }
        let open = cards.filter { $0.continues || $0.notice.needsPerson }
        let photos = cards.filter { $0.state.isRunnable || $0.state == .delivered }
        let needs = cards.compactMap { card in
            card.need(open: open, photos: photos).map { (card: card, state: $0) }
        }
        for state in CaseState.allCases {
            guard let first = needs.first(where: { $0.state == state }) else { continue }
            self = state.needsPerson ? Self(state, card: first.card.id, cause: first.card.shownReason) : Self(state)
            return
        }
        let isComplete = delivered.count == CardSide.allCases.count
        guard isRejected else {
            self.init(isComplete ? .complete : .incomplete)
            return
        }
        // The submitter must know that the number is the cause.
        let cause = cards.last { $0.state == .rejected && $0.reason == RetakeReason.number.code }
        self.init(.rejected, card: cause?.id, cause: cause?.shownReason)
    }
}

extension Card {
    /// Returns the state that the card causes for its case.
    ///
    /// - Parameters:
    ///   - open: the cards of the case that continue by themselves or need a person.
    ///   - photos: those that are in progress or delivered.
    fileprivate func need(open: [Card], photos: [Card]) -> CaseState? {
        switch self.notice {
        // Another card is the cause, such as its front, or is still in progress and may be its front.
        case .attention(.retake) where self.reason == .frontMissing && open.contains(where: { $0.anySide != .back }):
            .inProgress
        case .attention where self.isReplaced(by: photos): nil
        case .attention(.decide): self.state == .failed ? .failed : .decide
        case .attention(.retake): .retake
        // The card that it waits for may have been marked as seen: then nothing is in progress.
        case .blocked: open.isEmpty ? nil : .inProgress
        case .nothing, .line: self.continues ? .inProgress : nil
        }
    }

    /// Whether it continues by itself; a card that waits for a person does not, seen or not.
    fileprivate var continues: Bool {
        self.state.isRunnable && self.notice != .blocked
            && !(self.state == .verified && self.reason.map(ReasonCode.needingAttention.contains) == true)
    }

    /// Whether newer photos replace a rejected or failed card, so that it needs no action; one of an unknown side may be of any.
    private func isReplaced(by photos: [Card]) -> Bool {
        guard self.state == .rejected || self.state == .failed else { return false }
        let newer = Set(photos.filter { $0.age.isNewer(than: self.age) }.map(\.anySide))
        let sides: Set<CardSide?> = self.anySide.map { [$0] } ?? Set(CardSide.allCases)
        return newer.contains(nil) || newer.isSuperset(of: sides)
    }
}
