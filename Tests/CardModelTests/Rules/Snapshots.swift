import CardModel
import TestSupport
import Testing

extension Timestamp {
    /// The moment at which the tests decide.
    static let now = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)
    static let past = Self.now.advanced(by: .seconds(-1))
    static let soon = Self.now.advanced(by: .seconds(600))
}

extension Wait {
    /// One that has ended.
    static let over = Wait(from: .past, until: .past)
    /// One that ends soon.
    static let open = Wait(from: .past, until: .soon)
}

extension CaseSnapshot {
    /// Reads what is known of a number: `front erased, f delivered, b held restored accepted`.
    ///
    /// The cards come in the order in which they were admitted. A name that begins with e, f or g is that of a front,
    /// with a, b or c of a back, with x of a card whose side is not known. A card is verified and its wait is over unless
    /// it says otherwise. `@7` is the second in which it was taken. A front or back that was delivered and erased has no name.
    init(_ text: String) {
        var (cards, delivered): ([Card], [CardSide: PhotoAge]) = ([], [:])
        var withoutAccount: Set<CardID> = []
        for (index, item) in text.split(separator: ", ").enumerated() {
            let (words, order) = (item.split(separator: " ").map(String.init), Int64(index + 1))
            let second = words.first { $0.hasPrefix("@") }.flatMap { Int($0.dropFirst()) }
            let age = PhotoAge(order: order, taken: second.map { .past.advanced(by: .seconds($0 - 3600)) })
            if let erased = CardSide(rawValue: words[0]) {
                delivered[erased] = age
                continue
            }
            let side: CardSide? = "efg".contains(words[0].first!) ? .front : words[0].hasPrefix("x") ? nil : .back
            var card = Card.sample(.verified, nil, side: side)
            (card.id, card.order, card.taken) = (CardID(rawValue: words[0]), order, age.taken)
            for state in words.compactMap(CardState.init) { card.state = state }
            if let side, card.state == .delivered, delivered[side].map(age.isNewer) ?? true { delivered[side] = age }
            for word in words.dropFirst() where CardState(rawValue: word) == nil && !word.hasPrefix("@") {
                switch word {
                case "accepted": card.isAccepted = true
                case "alone": card.isSplit = true
                case "frontless": card.goesWithoutFront = true
                case "accountless": withoutAccount.insert(card.id)
                case "waiting": (card.createdAt, card.waitsUntil) = (Wait.open.from, Wait.open.until)
                case "due": card.due = .open
                default: card.reason = ReasonCode(rawValue: word)
                }
            }
            cards.append(card)
        }
        self.init(cards: cards, delivered: delivered)
        self.withoutAccount = withoutAccount
    }
}

/// A case of a table: what is known of a number, and what is to be decided.
struct DecisionCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var snapshot: CaseSnapshot
    var policy = CasePolicy()
    private var pairFindings: [VerdictFinding] = []
    let expected: String

    /// Takes the cards of the number, then, behind a bar, whether it is disputed, the layout, `backs alone` for a backend
    /// that takes them, and how severe it is that both sides are one picture: `f, b | application, reject pair`.
    init(_ name: String, _ known: String, is expected: String) {
        let parts = known.split(separator: " | ").map(String.init)
        (self.testDescription, self.expected) = (name, expected)
        self.snapshot = CaseSnapshot(parts[0])
        for word in parts.dropFirst().joined().split(separator: ", ").map(String.init) {
            if let layout = DeliveryLayoutKind(rawValue: word) {
                self.policy.layout = layout
            } else if word == "disputed" {
                self.snapshot.isDisputed = true
            } else if word == "backs alone" {
                self.policy.backWithoutFront = .send
            } else if let severity = VerdictSeverity(rawValue: word.replacing(" pair", with: "")) {
                let message: Message = "the same picture; take two"
                self.pairFindings = [VerdictFinding(VerdictRule.sidesIdentical.reason, severity, message: message)]
            } else {
                preconditionFailure("nothing is known as \(word)")
            }
        }
    }

    /// The decision as the tables write it: `send f+b`, `hold f holder_conflict`, … in this order and by id.
    var decided: String {
        CaseRules
            .decide(self.snapshot, pairFindings: self.pairFindings, policy: self.policy, now: .now)
            .summary
    }
}

extension CaseDecision {
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
