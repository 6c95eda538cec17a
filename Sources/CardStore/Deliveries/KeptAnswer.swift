import CardModel
import Foundation

/// An answer of the backend with a code that no list of `delivery.retcode` had. Once a list has it, a person's retry applies the
/// answer.
struct KeptAnswer: Codable {
    /// The code in every spelling that a list may have.
    let spellings: [String]
    /// Whether the answer was about the whole delivery: of several members, it is then unknown which one it means.
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

extension SandboxDeliveries {
    /// Stores the answer for a member of a delivery; none for a card whose key cannot be unwrapped.
    func putAnswer(_ answer: KeptAnswer, of card: CardID, in delivery: DeliveryID, in tx: Transaction) throws {
        let row = try CardRow.require(card, in: tx)
        let sealed = try (try? row.key(self.vault))?.seal(json: answer, column: .answer)
        try tx.run("UPDATE delivery_card SET answer = \(sealed) WHERE delivery = \(delivery) AND card = \(card)")
    }

    /// The stored answer about a card, with its meaning by the current lists; `nil` if none is stored.
    func keptAnswer(of row: CardRow, in tx: Transaction) throws -> (answer: KeptAnswer, meaning: RetcodeTable.Meaning)?
    {
        guard row.state == .held, row.reason == .retcodeUnlisted,
            let sealed: Data = try tx.value(
                "SELECT answer FROM delivery_card WHERE card = \(row.id) AND delivery = \(row.delivery)"
            ),
            let answer = try CardRecords.nilIfUnreadable({
                try row.key(self.vault).open(json: sealed, as: KeptAnswer.self, column: .answer)
            })
        else { return nil }
        return (answer, self.sandbox.retcodes.meaning(of: self.sandbox.retcodes.listedSpelling(of: answer.spellings)))
    }
}
