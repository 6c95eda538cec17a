import CardModel
import TestSupport
import Testing

/// What holds of every decision, whatever is known of a number.
@Suite struct ApplicationPropertyTests {
    private struct Sample: CustomStringConvertible {
        let snapshot: CaseSnapshot
        let policy: CasePolicy
        let decision: CaseDecision

        init(using random: inout SeededRandom) {
            let cards = (0..<Int.random(in: 1...5, using: &random)).map { Self.card($0, using: &random) }
            var delivered: [CardSide: PhotoAge] = [:]
            for card in cards where card.state == .delivered { card.side.map { delivered[$0] = card.age } }
            if Int.random(in: 0..<6, using: &random) == 0 {
                delivered[.front] = PhotoAge(order: Int64.random(in: -1...5, using: &random))
            }
            self.snapshot = CaseSnapshot(
                cards: cards.shuffled(using: &random),
                isDisputed: Int.random(in: 0..<4, using: &random) == 0,
                delivered: delivered
            )
            self.policy = CasePolicy(
                layout: DeliveryLayoutKind.allCases.randomElement(using: &random)!,
                backWithoutFront: CasePolicy.BackWithoutFront.allCases.randomElement(using: &random)!
            )
            let severity = VerdictSeverity.allCases.randomElement(using: &random)!
            self.decision = CaseRules.decide(
                self.snapshot,
                pairFindings: severity == .off
                    ? [] : [VerdictFinding(VerdictRule.sideMismatch.reason, severity, message: "")],
                policy: self.policy,
                now: .now
            )
        }

        private static func card(_ index: Int, using random: inout SeededRandom) -> Card {
            func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
            let state = chance(2) ? .verified : CardState.allCases.randomElement(using: &random)!
            let reasons: [ReasonCode?] = [nil, .outcomeUnknown, .restored, .holderConflict, .submitterConflict]
            var card = Card.sample(
                state,
                reasons.randomElement(using: &random)!,
                side: state != .verified && chance(4) ? nil : CardSide.allCases.randomElement(using: &random)!
            )
            card.id = CardID(rawValue: "\(index)")
            card.order = Int64(index)
            let wait = chance(2) ? Wait.over : .open
            (card.createdAt, card.waitsUntil) = (wait.from, wait.until)
            card.due = chance(5) ? .open : nil
            card.isAccepted = chance(3)
            (card.goesWithoutFront, card.isSplit) = (chance(5), chance(4))
            return card
        }

        func card(_ id: CardID) -> Card { self.snapshot.cards.first { $0.id == id }! }

        var description: String {
            let cards = self.snapshot.cards.map {
                "\($0.id) \($0.state) \($0.side.map(\.rawValue) ?? "-") \($0.reason?.rawValue ?? "")"
            }
            return "\(cards), \(self.snapshot.delivered), \(self.policy) → \(self.decision.summary)"
        }
    }

    private static func check(_ holds: (Sample) -> Bool) {
        var random = SeededRandom(seed: 20_261_121)
        for _ in 0..<20_000 {
            let sample = Sample(using: &random)
            guard holds(sample) else {
                Issue.record("\(sample)")
                return
            }
        }
    }

    @Test func `A back never goes before or without a front, unless one was delivered or a person let it`() {
        var alone = 0
        Self.check { sample in
            sample.decision.ready.allSatisfy { members in
                let cards = members.map(sample.card)
                guard let back = cards.first(where: { $0.side == .back }) else { return true }
                if sample.snapshot.delivered[.front] != nil || back.goesWithoutFront { return true }
                if cards.contains(where: { $0.side == .front }) { return sample.policy.layout == .application }
                alone += 1
                let frontMayCome = sample.snapshot.cards.contains { card in
                    card.side == .front && (card.state.isRunnable || card.state == .held)
                        && sample.decision.rejected[card.id] == nil
                }
                return sample.policy.backWithoutFront == .send && back.wait.isOver(at: .now) && !frontMayCome
            }
        }
        #expect(alone > 100, "hardly a sample let a back go alone, so the test shows nothing")
    }

    @Test func `Nothing goes while a card of the number awaits verification`() {
        Self.check { sample in
            sample.decision.ready.isEmpty || !sample.snapshot.cards.contains(where: \.state.awaitsVerification)
        }
    }

    @Test func `An unaccepted card of a disputed number never goes`() {
        Self.check { sample in
            !sample.snapshot.isDisputed || sample.decision.ready.joined().allSatisfy { sample.card($0).isAccepted }
        }
    }

    @Test func `A card never goes while an older photo of its side may still arrive`() {
        Self.check { sample in
            sample.decision.ready.joined().map(sample.card).allSatisfy { card in
                !sample.snapshot.cards.contains { older in
                    let isUnknown = older.state == .held && [.outcomeUnknown, .restored].contains(older.reason)
                    return older.side == card.side && older.order < card.order
                        && (older.state == .delivering || isUnknown)
                }
            }
        }
    }

    @Test func `Each verified card is decided upon once, and no other`() {
        Self.check { sample in
            let decision = sample.decision
            let decided =
                Array(decision.superseded.keys) + decision.held.keys + decision.rejected.keys + decision.waiting.keys
                + decision.ready.joined()
            let verified = sample.snapshot.cards.filter { $0.state == .verified }.map(\.id.rawValue)
            return decided.map(\.rawValue).sorted() == verified.sorted()
        }
    }

    @Test func `At most one photo of each side goes, and a time to look again lies ahead`() {
        Self.check { sample in
            let sides = sample.decision.ready.joined().compactMap { sample.card($0).side }
            return Set(sides).count == sides.count && sample.decision.reconsiderAt.map { $0 > .now } ?? true
        }
    }
}
