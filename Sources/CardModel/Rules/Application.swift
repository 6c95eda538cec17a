/// The cards of a business number at one moment.
package struct CaseSnapshot: Hashable, Sendable {
    /// Its cards in the order of their arrival, without erased ones, and without those that a person has yet to let in.
    package let cards: [Card]
    /// Those without a known user account, if they need one.
    package var withoutAccount: Set<CardID> = []
    /// Whether fronts of it named different persons, erased ones included; never reset.
    package var isDisputed: Bool
    /// The newest photo of each side that was delivered, erased or not.
    package var delivered: [CardSide: PhotoAge]
    /// The last card that had come when a reviewer ended the case.
    package var rejectedOrder: Int64?

    package init(cards: [Card], isDisputed: Bool = false, delivered: [CardSide: PhotoAge] = [:]) {
        self.cards = cards.filter { $0.state != .held || $0.reason.map(ReasonCode.letInByPerson.contains) != true }
            .sorted { $0.order < $1.order }
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
