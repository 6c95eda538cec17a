import CardModel
import TestSupport
import Testing

@testable import CardStore

/// Which cards need a person, and how one says that he knows.
@Suite final class AttentionTests: StoreSuite {
    private func listed(_ attention: CardAttention...) async throws -> [CardID] {
        var filter = CardFilter()
        filter.attention = attention
        return try await harness.store.listings.cards(filter, after: 0, limit: 1000, for: .process).map(\.id)
    }

    private func rejected(_ bytes: String, side: CardSide = .front) async throws -> CardID {
        try await harness.judged(bytes, side: side, .rejected(VerdictRule.legalityLow.reason, message: "no"))
    }

    @Test func `lists and counts follow the rule by which a single card is told`() async throws {
        let reasons: [ReasonCode] = [
            .rejectedByOperator, .submitterConflict, .frontMissing, .userNumberMissing, .waitsForFront, .superseded,
        ]
        let sides = ["'front', NULL", "'back', NULL", "NULL, 'front'", "NULL, NULL"]
        var (rows, order) = ([String](), 1)
        for state in CardState.allCases {
            for reason in reasons {
                for side in sides {
                    for seen in 0...1 {
                        let head = "'c-\(order)', '\(state.rawValue)', 'N', 'local', 'local', \(side), \(order), 0"
                        rows.append("(\(head), '\(reason.rawValue)', \(seen), 0, 0, 0)")
                        order += 1
                    }
                }
            }
        }
        // About half of the cards are before the front that was delivered last; a refused one without a side looks at both.
        try await harness.plant(
            """
            INSERT INTO cases (number, key, submitter, front_delivered, back_delivered, rejected_order)
            VALUES ('N', 'N', 'local', \(order / 2), \(order / 4), \(order / 8));
            INSERT INTO card (id, state, number, submitter, sent_by, side, expected_side, intake_order, priority, reason, seen,
            waits_until, created_at, changed_at) VALUES \(rows.joined(separator: ", "))
            """
        )
        let all = try await harness.store.listings.cards((1..<order).map { CardID(rawValue: "c-\($0)") }, for: .process)
        #expect(all.count == order - 1)
        let isRetaken = all.map { card in
            switch card.anySide {
            case _ where card.order <= order / 8 && [.rejected, .failed].contains(card.state): true
            case .front: card.order < order / 2
            case .back: card.order < order / 4
            // Only of a refused photo it is known that nothing of it was sent.
            case nil: card.state == .rejected && card.order < order / 2
            }
        }
        #expect(all.map(\.isRetaken) == isRetaken)
        let counts = try await harness.store.listings.attentionCounts()
        for attention in CardAttention.allCases {
            let expected = all.filter { $0.notice == .attention(attention) }.map(\.id)
            #expect(!expected.isEmpty)
            #expect(try await listed(attention) == expected)
            #expect(counts[attention] == expected.count)
        }
        #expect(try await listed(.decide, .retake).count == counts.values.reduce(0, +))
    }

    @Test func `a refused photo is to be retaken until a later one of its side was delivered`() async throws {
        let (front, back) = (try await rejected("front"), try await rejected("back", side: .back))
        #expect(try await listed(.retake) == [front, back])
        let newer = try await harness.sent("newer", number: "N", .accepted)
        #expect(try await listed(.retake) == [back])
        // The order that was delivered outlives the card.
        try await harness.erase(newer)
        #expect(try await listed(.retake) == [back])
        let latest = try await rejected("latest")
        #expect(try await listed(.retake) == [back, latest], "an earlier photo does not replace it")
    }

    @Test func `what a person knows changes nothing but the attention, and is in the access log`() async throws {
        let card = try await rejected("front")
        let before = try await harness.store.listings.details(of: card, for: .process)
        harness.pass(.seconds(9))
        try await harness.resolve(card, .seen)
        let after = try await harness.store.listings.details(of: card, for: .process)
        #expect(
            JSONText.line(after.steps) == JSONText.line(before.steps) && after.card.changedAt == before.card.changedAt
        )
        #expect(after.card.state == .rejected && after.card.isSeen)
        #expect(try await listed(.decide, .retake).isEmpty)
        let log = try await harness.accessLog().filter { $0[0] == "resolve" }.map { [$0[1], $0[3]] }
        #expect(log == [["test", card.rawValue]])
    }

    @Test(arguments: ["retry", "amend", "late answer"])
    func `a card that a person knew counts again once its state has changed`(_ change: String) async throws {
        let card =
            change == "late answer"
            ? try await harness.sent("front", number: "N", .failure(.unknown), onUnknown: .hold)
            : try await rejected("front")
        try await harness.resolve(card, .seen)
        #expect(try await listed(.decide, .retake).isEmpty)
        switch change {
        case "retry": try await harness.retry(card)
        case "amend": try await harness.admit("front", number: "N") { $0.expectedName = Redacted("SPECIMEN") }
        default: try await harness.resolve(card, .resend)
        }
        #expect(try await harness.card(card).isSeen == false)
    }

    @Test func `a waiting card that a person knew counts again once it waits for something else`() async throws {
        let back = try await harness.verified("back", number: "N", .back)
        try await harness.decide()
        #expect(try await harness.state(back) == "verified front_missing")
        try await harness.resolve(back, .seen)
        try await harness.decide()
        #expect(try await listed(.retake).isEmpty, "the same decision is no news")
        let front = try await rejected("front")
        try await harness.decide()
        #expect(try await harness.state(front).hasPrefix("rejected"))
        #expect(try await harness.state(back) == "verified waits_for_front")
        #expect(try await listed(.retake) == [front])
        try await harness.resolve(front, .seen)
        try await harness.decide()
        #expect(try await harness.state(back) == "verified front_missing")
        #expect(try await listed(.retake) == [back])
    }
}
