/// A card as the rules of its business number see it.
@dynamicMemberLookup
package struct ApplicationCard: Hashable, Sendable {
    private var card: Card
    /// The side that the verifier saw, else the side that the metadata names.
    package let side: CardSide?
    /// How long it waits for the other side; over at once for cards of a list.
    package var wait: Wait
    /// Whether a person let this back go although no front of its number was delivered.
    package var goesWithoutFront: Bool
    /// Whether it goes in a delivery of its own, since one of several cards was refused as a whole.
    package var isSplit: Bool
    /// Whether nobody names the user account that it is sent for.
    package var lacksAccount = false

    package init(_ card: Card, goesWithoutFront: Bool = false, isSplit: Bool = false) {
        self.card = card
        self.side = card.side ?? card.metadata.side
        self.wait = Wait(from: card.createdAt, until: card.waitsUntil)
        self.goesWithoutFront = goesWithoutFront
        self.isSplit = isSplit
    }

    package subscript<Value>(dynamicMember path: WritableKeyPath<Card, Value>) -> Value {
        get { self.card[keyPath: path] }
        set { self.card[keyPath: path] = newValue }
    }

    /// When its photo came, and when it was taken where that counts.
    package var age: PhotoAge { self.card.age }

    /// Whether it is invisible to the rules: another submitter's, until a person accepts it.
    var isForeign: Bool { self.state == .held && self.reason == .submitterConflict }
}

/// What is known of a business number at one moment.
package struct CaseSnapshot: Hashable, Sendable {
    /// Its cards, but for erased ones.
    package var cards: [ApplicationCard]
    /// Whether fronts of it named different persons, erased ones included; for good.
    package var isDisputed: Bool
    /// The newest photo of each side that was delivered, erased or not.
    package var delivered: [CardSide: PhotoAge]

    package init(cards: [ApplicationCard], isDisputed: Bool = false, delivered: [CardSide: PhotoAge] = [:]) {
        self.cards = cards.filter { !$0.isForeign }.sorted { $0.order < $1.order }
        self.isDisputed = isDisputed
        self.delivered = delivered
    }
}

package struct CasePolicy: Hashable, Sendable {
    /// What becomes of a back whose front is not known (`delivery.back_without_front`).
    package enum BackWithoutFront: String, CaseIterable, Sendable {
        /// It stays until a front is delivered or a person accepts it.
        case wait
        /// It goes once its wait is over.
        case send
    }

    package var layout: DeliveryLayoutKind
    package var backWithoutFront: BackWithoutFront

    package init(layout: DeliveryLayoutKind = .single, backWithoutFront: BackWithoutFront = .wait) {
        self.layout = layout
        self.backWithoutFront = backWithoutFront
    }
}

/// What is to happen to the `verified` cards of a business number now, and when to look again.
package struct CaseDecision: Hashable, Sendable {
    /// Cards that a newer photo of their side replaces, and that photo; `nil` if it was erased.
    package var superseded: [CardID: CardID?] = [:]
    /// Those of them that were taken earlier, as the times of their files say.
    package var passedOver: Set<CardID> = []
    /// Cards that a person has to decide on, and why.
    package var held: [CardID: VerdictFinding] = [:]
    /// Cards that a rule between front and back refuses.
    package var rejected: [CardID: VerdictFinding] = [:]
    /// Cards that stay, and why; without a reason if only their due time is to come.
    package var waiting: [CardID: ReasonCode?] = [:]
    /// The cards of each delivery that may be formed; the layout `batch` may join several of them.
    package var ready: [[CardID]] = []
    /// When the first wait ends that ends by itself.
    package var reconsiderAt: Timestamp?

    package init() {}
}
