import CardModel
import Testing

extension Timestamp {
    /// The moment at which the tests decide.
    static let now = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)
    static let past = Self.now.advanced(by: .seconds(-1))
    static let soon = Self.now.advanced(by: .seconds(600))
}

extension ApplicationCard {
    /// A front whose wait is over, as that of cards of a list.
    static func front(
        _ id: String = "f",
        _ state: CardState = .verified,
        order: Int64 = 1,
        change: (inout ApplicationCard) -> Void = { _ in }
    ) -> ApplicationCard {
        Self.card(id, state, .front, order: order, change: change)
    }

    /// A back whose wait is over.
    static func back(
        _ id: String = "b",
        _ state: CardState = .verified,
        order: Int64 = 2,
        change: (inout ApplicationCard) -> Void = { _ in }
    ) -> ApplicationCard {
        Self.card(id, state, .back, order: order, change: change)
    }

    /// A card whose side is not known.
    static func sideless(_ id: String = "x", _ state: CardState, order: Int64 = 3) -> ApplicationCard {
        Self.card(id, state, nil, order: order) { _ in }
    }

    private static func card(
        _ id: String,
        _ state: CardState,
        _ side: CardSide?,
        order: Int64,
        change: (inout ApplicationCard) -> Void
    ) -> ApplicationCard {
        var sample = Card.sample(state, nil, side: side)
        (sample.id, sample.order) = (CardID(rawValue: id), order)
        var card = ApplicationCard(sample)
        change(&card)
        return card
    }
}

extension Wait {
    /// One that has ended.
    static let over = Wait(from: .past, until: .past)
    /// One that ends soon.
    static let open = Wait(from: .past, until: .soon)
}

/// A case of a table: what is known of a number, and what is to be decided.
struct DecisionCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let snapshot: ApplicationSnapshot
    let pairFindings: [VerdictFinding]
    var policy: ApplicationPolicy
    let expected: String

    init(
        _ name: String,
        _ cards: [ApplicationCard],
        isDisputed: Bool = false,
        delivered: [CardSide: Int64] = [:],
        pair: [VerdictFinding] = [],
        layout: DeliveryLayoutKind = .single,
        backs: ApplicationPolicy.BackWithoutFront = .wait,
        is expected: String
    ) {
        self.testDescription = name
        self.snapshot = ApplicationSnapshot(cards: cards, isDisputed: isDisputed, delivered: delivered)
        self.pairFindings = pair
        self.policy = ApplicationPolicy(layout: layout, backWithoutFront: backs)
        self.expected = expected
    }

    /// The decision as the tables write it: `send f+b`, `hold f holder_conflict`, … in this order and by id.
    var decided: String {
        ApplicationRules
            .decide(self.snapshot, pairFindings: self.pairFindings, policy: self.policy, now: .now)
            .summary
    }
}

extension ApplicationDecision {
    /// The decision in one line.
    var summary: String {
        let held = self.held.map { "hold \($0.key) \($0.value.reason)" }.sorted()
        let rejected = self.rejected.map { "reject \($0.key) \($0.value.reason)" }.sorted()
        let waiting = self.waiting.map { "wait \($0.key) \($0.value?.rawValue ?? "due")" }.sorted()
        let superseded = self.superseded.map { "supersede \($0.key)" }.sorted()
        let sent = self.ready.map { "send " + $0.map(\.rawValue).joined(separator: "+") }
        let until = self.reconsiderAt.map { ["look in \(Int($0.duration(since: .now).inSeconds)) s"] } ?? []
        return (superseded + held + rejected + waiting + sent + until).joined(separator: ", ")
    }
}
