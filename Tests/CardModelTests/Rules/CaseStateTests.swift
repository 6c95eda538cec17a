import CardModel
import Testing

@Suite struct CaseStateTests {
    /// A card in one word: side, state, reason; `+` marks it seen.
    private static func card(_ text: String, _ order: Int) -> Card {
        let words = text.split(separator: " ").map(String.init)
        var card = Card.sample(
            CardState(rawValue: words[1]) ?? .erased,
            words.count > 2 ? ReasonCode(rawValue: words[2]) : nil,
            side: CardSide(rawValue: words[0])
        )
        (card.id, card.order, card.isSeen) = (CardID(rawValue: "card-\(order)"), Int64(order), words.count > 3)
        return card
    }

    @Test(arguments: [
        (["front rejected rejected_by_operator", "back rejected rejected_by_operator"], "", "rejected"),
        (["front delivered", "back rejected rejected_by_operator"], "front", "rejected"),
        // What the backend may have is still open, and a later photo waits for a person.
        (["front held outcome_unknown", "back rejected rejected_by_operator"], "", "decide 0 outcome_unknown"),
        (["front rejected rejected_by_operator", "front held case_rejected"], "", "decide 1 case_rejected"),
        (["front erased", "back erased"], "", "erased"),
    ])
    func `an ended case is rejected once no card of it is open`(cards: [String], delivered: String, expected: String) {
        Self.check(cards, delivered, expected, isRejected: true)
    }

    @Test(arguments: [
        ([], "", "-"), (["front erased"], "", "erased"), (["back superseded x"], "", "incomplete"),
        (["front delivered"], "front", "incomplete"),
        (["front delivered", "back delivered"], "front back", "complete"),
        (["front erased", "back erased"], "front back", "erased"),
        (["front erased", "back delivered"], "front back", "complete"),
        (["front prepared", "back verified waits_for_front"], "", "in_progress"),
        (["front delivered", "back verified"], "front", "in_progress"),
        (["back rejected expired"], "", "retake 0 expired"),
        (["back rejected expired seen"], "", "incomplete"),
        (["front rejected rejected_by_operator"], "", "incomplete"),
        (["back verified front_missing"], "", "retake 0 front_missing"),
        (["front rejected retake_glare", "back verified waits_for_front"], "", "retake 0 retake_glare"),
        // The front is the cause, not the back that waits for it.
        (["back verified front_missing", "front rejected expired"], "", "retake 1 expired"),
        (["back verified front_missing", "front failed attempts_exhausted"], "", "failed 1 attempts_exhausted"),
        (["back verified front_missing", "front prepared"], "", "in_progress"),
        (["back rejected blurred", "front rejected expired"], "", "retake 1 expired"),
        (["back held outcome_unknown", "front rejected expired"], "", "decide 0 outcome_unknown"),
        (["front failed attempts_exhausted", "back held restored"], "", "decide 1 restored"),
        (["front rejected expired", "back failed attempts_exhausted"], "", "failed 1 attempts_exhausted"),
        // A later photo of the side is what counts.
        (["front rejected expired", "front prepared"], "", "in_progress"),
        (["front rejected expired", "front rejected blurred"], "", "retake 0 expired"),
        (["front rejected expired", "back prepared"], "", "retake 0 expired"),
        (["front rejected expired", "front delivered", "back delivered"], "front back", "complete"),
        (["front held outcome_unknown", "front verified waits_for_older_photo"], "", "decide 0 outcome_unknown"),
        (["unknown received"], "", "in_progress"),
        (["front rejected expired", "unknown received"], "", "in_progress"),
        (["unknown rejected truncated", "front delivered"], "front", "retake 0 truncated"),
        (["unknown rejected truncated", "front delivered", "back verified"], "front", "in_progress"),
        // What waits for a person who has seen it does not go on.
        (["back verified front_missing seen"], "", "incomplete"),
        (["front held outcome_unknown seen", "back verified waits_for_front"], "", "incomplete"),
        (["front held outcome_unknown", "back verified waits_for_front"], "", "decide 0 outcome_unknown"),
        (["front prepared", "back verified waits_for_front"], "", "in_progress"),
    ])
    func `a case stands where its first cause has it`(cards: [String], delivered: String, expected: String) {
        Self.check(cards, delivered, expected)
    }

    private static func check(_ cards: [String], _ delivered: String, _ expected: String, isRejected: Bool = false) {
        let sides = Set(delivered.split(separator: " ").compactMap { CardSide(rawValue: String($0)) })
        let all = cards.enumerated().map { Self.card($1, $0) }
        for cards in [all, all.reversed()] {
            let status = CaseStatus(of: cards, delivered: sides, isRejected: isRejected)
            let card = status?.card?.rawValue.split(separator: "-").last.map(String.init)
            let words = [status?.state.rawValue ?? "-", card, status?.cause]
            #expect(words.compactMap(\.self).joined(separator: " ") == expected)
        }
    }
}
