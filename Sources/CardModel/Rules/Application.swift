/// A card with the values that the rules of its business number use.
@dynamicMemberLookup
package struct ApplicationCard: Hashable, Sendable {
    private var card: Card
    /// The side that the verifier saw, else the side that the metadata names.
    package let side: CardSide?
    /// The wait for the other side; over at once for cards of a list.
    package var wait: Wait
    /// Whether a person let this back be sent although no front of its number was delivered.
    package var goesWithoutFront: Bool
    /// Whether it is sent in a delivery of its own, because a delivery of several cards was refused as a whole.
    package var isSplit: Bool
    /// Whether no user account is known for it.
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

    /// The arrival of its photo, and the time it was taken if that counts.
    package var age: PhotoAge { self.card.age }

    /// Whether the rules ignore it: it is another submitter's card that no person has accepted.
    var isForeign: Bool { self.state == .held && self.reason == .submitterConflict }
}

/// The cards of a business number at one moment.
package struct CaseSnapshot: Hashable, Sendable {
    /// Its cards, without erased ones.
    package var cards: [ApplicationCard]
    /// Whether fronts of it named different persons, erased ones included; never reset.
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
    /// What to do with a back whose front is not known (`delivery.back_without_front`).
    package enum BackWithoutFront: String, CaseIterable, Sendable {
        /// It waits until a front is delivered or a person accepts it.
        case wait
        /// It is sent when its wait is over.
        case send
    }

    package var layout: DeliveryLayoutKind
    package var backWithoutFront: BackWithoutFront

    package init(layout: DeliveryLayoutKind = .single, backWithoutFront: BackWithoutFront = .wait) {
        self.layout = layout
        self.backWithoutFront = backWithoutFront
    }
}

/// What to do with the `verified` cards of a business number now, and when to decide again.
package struct CaseDecision: Hashable, Sendable {
    /// Cards that a newer photo of their side replaces, and that photo; `nil` if it was erased.
    package var superseded: [CardID: CardID?] = [:]
    /// Those superseded cards that were taken earlier by the times of their files.
    package var passedOver: Set<CardID> = []
    /// Cards that need a person's decision, with the reason.
    package var held: [CardID: VerdictFinding] = [:]
    /// Cards that a rule between front and back rejects.
    package var rejected: [CardID: VerdictFinding] = [:]
    /// Cards that wait, with the reason; `nil` if only for their due time.
    package var waiting: [CardID: ReasonCode?] = [:]
    /// The cards of each delivery that may be formed; the layout `batch` may join several of them.
    package var ready: [[CardID]] = []
    /// The earliest time at which a wait expires.
    package var reconsiderAt: Timestamp?

    package init() {}
}
