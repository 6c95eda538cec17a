import CardModel
import Foundation

/// An answer of the backend by a code that no list of `delivery.retcode` named: what a person's retry judges once a list does.
struct KeptAnswer: Codable {
    /// The code in every way it may be listed.
    let spellings: [String]
    /// Whether it answered for the whole delivery, so that of several members it is not known which one it is about.
    let isOfWhole: Bool

    private enum CodingKeys: String, CodingKey {
        case spellings = "spellings"
        case isOfWhole = "isOfWhole"
    }

    init(_ failure: RemoteFailure, isOfWhole: Bool) {
        self.spellings = failure.unlistedCode?.reveal() ?? [failure.code]
        self.isOfWhole = isOfWhole
    }
}

extension CardStore {
    /// Keeps the answer for a member of a delivery; a card whose key does not open has none.
    func put(_ answer: KeptAnswer, of card: CardID, in delivery: DeliveryID, in tx: Transaction) throws {
        let row = try CardRow.require(card, in: tx)
        let sealed = try (try? row.key(self.vault))?.seal(json: answer, column: .answer)
        try tx.run("UPDATE delivery_card SET answer = \(sealed) WHERE delivery = \(delivery) AND card = \(card)")
    }

    /// What the kept answer about a card means by the lists of now; `nil` if none is kept.
    func keptAnswer(of row: CardRow, in tx: Transaction) throws -> (answer: KeptAnswer, meaning: RetcodeTable.Meaning)?
    {
        guard row.state == .held, row.reason == .retcodeUnlisted,
            let sealed: Data = try tx.value(
                "SELECT answer FROM delivery_card WHERE card = \(row.id) AND delivery = \(row.delivery)"
            ),
            let answer = try Self.ifOpens({
                try row.key(self.vault).open(json: sealed, as: KeptAnswer.self, column: .answer)
            })
        else { return nil }
        return (answer, self.retcodes.meaning(of: self.retcodes.listedSpelling(of: answer.spellings)))
    }
}
