/// Where a case stands: the first of these that fits one of its cards, else what was delivered of it.
///
/// The raw values are stored in the sandbox and printed to users.
package enum CaseState: String, CaseIterable, Sendable, Codable {
    /// A person must decide about a card.
    case decide = "decide"
    /// A card's attempts are used up.
    case failed = "failed"
    /// A photo was refused and must be taken again.
    case retake = "retake"
    /// A card goes on by itself.
    case inProgress = "in_progress"
    /// Nothing is in progress, and a side was not delivered.
    case incomplete = "incomplete"
    /// Both sides were delivered.
    case complete = "complete"

    /// Whether a person is to do something about one of its cards.
    package var needsPerson: Bool {
        switch self {
        case .decide, .failed, .retake: true
        case .inProgress, .incomplete, .complete: false
        }
    }
}

/// Where a case stands, and the card that is the first cause of it.
package struct CaseStatus: Hashable, Sendable {
    package let state: CaseState
    /// The card for which a person is to do something; `nil` if there is nothing to do.
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

    /// - Parameter side: the side that the verifier saw, else the one that its sender named.
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

    /// What the card has its case wait for.
    func need(among others: CaseCards) -> CaseState? {
        switch self.notice {
        // The front says what is the matter, or is on its way.
        case .attention(.decide) where self.reason == .frontMissing && others.hasOpenFront: .inProgress
        case .attention where others.replace(self): nil
        case .attention(.decide): self.state == .failed ? .failed : .decide
        case .attention(.retake): .retake
        // What it waits for may have been marked as seen: then nothing goes on.
        case .blocked: others.hasOpenCards ? .inProgress : nil
        case .nothing, .line: self.goesOn ? .inProgress : nil
        }
    }

    /// Whether it goes on by itself; what waits for a person does not, seen or not.
    var goesOn: Bool {
        self.state.isRunnable && self.notice != .blocked
            && !(self.state == .verified && self.reason.map(ReasonCode.needingAttention.contains) == true)
    }
}

/// What the cards of a case are to one of them.
struct CaseCards {
    /// Whether a front, or what may be one, goes on or needs a person.
    let hasOpenFront: Bool
    /// Whether a card goes on or needs a person.
    let hasOpenCards: Bool
    /// The photos of each side that are on their way or delivered, and those whose side is still to be seen.
    private var photos: [CardSide?: [PhotoAge]] = [:]

    init(_ cards: [CaseCard]) {
        let open = cards.filter { $0.goesOn || $0.notice.needsPerson }
        self.hasOpenCards = !open.isEmpty
        self.hasOpenFront = open.contains { $0.side != .back }
        for card in cards where card.state.isRunnable || card.state == .delivered {
            self.photos[card.side, default: []].append(card.age)
        }
    }

    /// Whether newer photos take the place of a refused or failed one, so that nothing is to be done about it.
    func replace(_ card: CaseCard) -> Bool {
        guard card.state == .rejected || card.state == .failed else { return false }
        func hasNewer(_ side: CardSide?) -> Bool {
            self.photos[side]?.contains { $0.isNewer(than: card.age) } ?? false
        }
        let sides = card.side.map { [$0] } ?? CardSide.allCases
        return hasNewer(nil) || sides.allSatisfy(hasNewer)
    }
}
