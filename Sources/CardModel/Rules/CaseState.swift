/// The state of a case: the first that applies to one of its cards, else by the sides delivered.
///
/// The raw values are stored in the sandbox and printed to users.
package enum CaseState: String, CaseIterable, Sendable, Codable {
    /// A person must decide about a card.
    case decide = "decide"
    /// A card's attempts are used up.
    case failed = "failed"
    /// A photo was refused and must be retaken.
    case retake = "retake"
    /// A card continues by itself.
    case inProgress = "in_progress"
    /// Nothing is in progress, and a side was not delivered.
    case incomplete = "incomplete"
    /// Both sides were delivered.
    case complete = "complete"

    /// Whether a person must act on one of its cards.
    package var needsPerson: Bool {
        switch self {
        case .decide, .failed, .retake: true
        case .inProgress, .incomplete, .complete: false
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
    /// - Returns: `nil` if nothing is left of the case.
    package init?(of cards: [CaseCard], delivered: Set<CardSide>) {
        let cards = cards.filter { $0.state != .erased }
            .sorted { ($0.side == .back ? 1 : 0, $0.age.order) < ($1.side == .back ? 1 : 0, $1.age.order) }
        guard !cards.isEmpty || !delivered.isEmpty else { return nil }
        let others = CaseCards(cards)
        let needs = cards.compactMap { card in card.need(among: others).map { (card: card, state: $0) } }
        for state in CaseState.allCases {
            guard let first = needs.first(where: { $0.state == state }) else { continue }
            self = state.needsPerson ? Self(state, card: first.card.id, cause: first.card.shownReason) : Self(state)
            return
        }
        self.init(delivered.count == CardSide.allCases.count ? .complete : .incomplete)
    }
}

package struct CaseCard: Sendable {
    let id: CardID
    let state: CardState
    let reason: ReasonCode?
    let shownReason: String?
    let side: CardSide?
    let age: PhotoAge
    let notice: CardNotice

    /// - Parameter side: The side that the verifier saw, else the side that its submitter named.
    package init(
        id: CardID,
        state: CardState,
        reason: ReasonCode?,
        remoteCode: String? = nil,
        side: CardSide?,
        age: PhotoAge,
        isSeen: Bool = false,
        isRetaken: Bool = false
    ) {
        self.id = id
        self.state = state
        self.reason = reason
        self.shownReason = reason?.shown(remoteCode)
        self.side = side
        self.age = age
        self.notice = CardNotice(state, reason, isSeen: isSeen, isRetaken: isRetaken)
    }

    /// Returns the state that the card causes for its case.
    func need(among others: CaseCards) -> CaseState? {
        switch self.notice {
        // The front has the cause, or is still in progress.
        case .attention(.decide) where self.reason == .frontMissing && others.hasOpenFront: .inProgress
        case .attention where others.replace(self): nil
        case .attention(.decide): self.state == .failed ? .failed : .decide
        case .attention(.retake): .retake
        // The card that it waits for may have been marked as seen: then nothing is in progress.
        case .blocked: others.hasOpenCards ? .inProgress : nil
        case .nothing, .line: self.goesOn ? .inProgress : nil
        }
    }

    /// Whether it continues by itself; a card that waits for a person does not, seen or not.
    var goesOn: Bool {
        self.state.isRunnable && self.notice != .blocked
            && !(self.state == .verified && self.reason.map(ReasonCode.needingAttention.contains) == true)
    }
}

/// Facts about all cards of a case, for judging one of them.
struct CaseCards {
    /// Whether a card that is or may be a front continues or needs a person.
    let hasOpenFront: Bool
    /// Whether a card continues or needs a person.
    let hasOpenCards: Bool
    /// The photos of each side that are in progress or delivered; under `nil` those whose side is still unknown.
    private var photos: [CardSide?: [PhotoAge]] = [:]

    init(_ cards: [CaseCard]) {
        let open = cards.filter { $0.goesOn || $0.notice.needsPerson }
        self.hasOpenCards = !open.isEmpty
        self.hasOpenFront = open.contains { $0.side != .back }
        for card in cards where card.state.isRunnable || card.state == .delivered {
            self.photos[card.side, default: []].append(card.age)
        }
    }

    /// Whether newer photos replace a rejected or failed card, so that it needs no action.
    func replace(_ card: CaseCard) -> Bool {
        guard card.state == .rejected || card.state == .failed else { return false }
        func hasNewer(_ side: CardSide?) -> Bool {
            self.photos[side]?.contains { $0.isNewer(than: card.age) } ?? false
        }
        let sides = card.side.map { [$0] } ?? CardSide.allCases
        return hasNewer(nil) || sides.allSatisfy(hasNewer)
    }
}
