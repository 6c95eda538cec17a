import IDCardCore
import IDCardPipeline

/// What a run knows of a card to its end: what its report and the exit status go by.
struct RunCard: Sendable {
    // Small ones first: they fill up what the identifier leaves of its last word.
    /// The card.
    let id: RunCardID
    /// Where it stands.
    private(set) var state: CardState
    /// The side the verifier saw.
    private(set) var side: CardSide?
    /// Whether its state changed during this run.
    var isMoved = false
    /// Why it stands where it stands.
    private(set) var reason: ReasonCode?
    /// Why, for a person.
    private(set) var message: String?
    /// Its business number.
    private(set) var businessNumber: BusinessNumber
    /// Its place among all inputs ever taken in.
    let intakeOrder: Int64
    private var changedAt: Timestamp

    /// Takes what counts of a card.
    init(_ card: Card) {
        self.id = RunCardID(card.id)
        self.state = card.state
        self.reason = card.reason
        self.message = card.message
        self.businessNumber = card.metadata.businessNumber
        self.side = card.side
        self.intakeOrder = card.intakeOrder
        self.changedAt = card.changedAt
    }

    /// Takes over another view of the same card if it is later: the one that changed later counts, and of one instant the
    /// one that has ended.
    ///
    /// - Parameter isLook: whether the view is what an input's own look at the store found, which is older than any event of
    ///   one instant.
    mutating func take(_ view: RunCard, isLook: Bool) {
        if self.changedAt != view.changedAt {
            guard self.changedAt < view.changedAt else { return }
        } else if isLook {
            guard view.hasEnded, !self.hasEnded else { return }
        } else {
            guard view.hasEnded || !self.hasEnded else { return }
        }
        self.replace(by: view)
    }

    /// Takes over another view of the same card.
    mutating func replace(by view: RunCard) {
        let isMoved = self.isMoved
        self = view
        self.isMoved = isMoved
    }

    /// Whether nothing is to be done with it any more.
    var hasEnded: Bool { !self.state.isRunnable }

    /// Whether it waits for something that only a person can give.
    var isBlocked: Bool { self.state == .verified && Self.isBlocked(reason: self.reason) }

    /// Whether there is work to do for it.
    var hasWork: Bool { self.state.isRunnable && !self.isBlocked }

    /// Whether it stands where somebody must look at it.
    var isFailure: Bool {
        switch self.state {
        case .rejected, .failed, .held: true
        case .verified: self.isBlocked
        default: false
        }
    }

    /// Whether a reason asks for something that only a person can give.
    static func isBlocked(reason: ReasonCode?) -> Bool { reason.map(ReasonCode.askingAPerson.contains) ?? false }
}

extension RunCardReport {
    /// The report on a card that no input of the run stands for.
    init(_ card: RunCard) {
        self.init(source: "", state: card.state.rawValue)
        self.describe(card)
    }

    /// Takes over what is known of the card.
    mutating func describe(_ card: RunCard) {
        self.cardID = card.id.cardID
        self.state = card.state.rawValue
        // A tombstone does not name its number any more; the input may.
        if card.state != .erased || self.businessNumber == nil {
            self.businessNumber = card.businessNumber.rawValue
        }
        self.side = card.side ?? self.side
        self.reason = card.reason?.rawValue
        self.message = card.message
    }
}
