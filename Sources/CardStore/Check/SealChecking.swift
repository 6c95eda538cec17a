import CardModel
import Foundation

// Whether every sealed value opens, card by card, so that memory holds one image at a time.
extension CardStore {
    func sealFindings() async throws -> [SandboxFinding] {
        var findings: [SandboxFinding] = []
        var last: Int64 = 0
        while true {
            let after = last
            let page = try await self.read { tx in
                let rows = try CardRow.all(
                    """
                    WHERE card.intake_order > \(after) AND card.state <> 'erased'
                    ORDER BY card.intake_order LIMIT \(Limits.cardsPerCheck)
                    """,
                    in: tx
                )
                return (last: rows.last?.order, columns: try rows.map { ($0.id, try self.unopenable(of: $0, in: tx)) })
            }
            guard let end = page.last else { return findings }
            last = end
            for (card, columns) in page.columns {
                findings += columns.map { column in
                    SandboxFinding(code: "seal_broken", card: card, message: .fsckSealBroken(column))
                }
            }
        }
    }

    /// The sealed values of a card that do not open.
    private func unopenable(of row: CardRow, in tx: Transaction) throws -> [String] {
        // One without a key has a rule of its own.
        guard row.hasKey else { return [] }
        guard let key = try? row.key(self.vault) else { return ["card_key.wrapped"] }
        var broken: Set<String> = []
        func note(_ column: String, _ opens: Bool) {
            if !opens { broken.insert(column) }
        }
        func check<Value: Decodable>(_ column: String, _ sealed: [Data], as type: Value.Type) {
            note(column, sealed.allSatisfy { (try? key.open(json: $0, as: type, column: column)) != nil })
        }
        check(SealedMetadata.column, [row.sealedMetadata].compactMap(\.self), as: SealedMetadata.self)
        var messages = [row.sealedMessage].compactMap(\.self)
        messages += try tx.rows("SELECT message FROM event WHERE card = \(row.id) AND message IS NOT NULL") {
            try $0.next()
        }
        check(CardRow.messageColumn, messages, as: Message.self)
        let said: Data? = try tx.value("SELECT message FROM decision WHERE card = \(row.id) AND message IS NOT NULL")
        check(PendingDecision.messageColumn, [said].compactMap(\.self), as: Redacted<String>.self)
        if try self.hasImage(row.id, in: tx) {
            note("blob.image", (try? self.image(of: row.id, key: key, in: tx)) != nil)
        }
        if try self.hasReading(row.id, in: tx) { note("reading.bytes", (try? self.reading(of: row, in: tx)) != nil) }
        let parts: [Data] = try tx.rows(
            """
            SELECT delivery.parts FROM delivery_card JOIN delivery ON delivery.id = delivery_card.delivery
            WHERE delivery_card.card = \(row.id) AND delivery_card.position = 0 AND delivery.state IN ('open', 'kept')
            AND delivery.parts IS NOT NULL
            """
        ) { try $0.next() }
        check("delivery.parts", parts, as: [DeliveryPart].self)
        return broken.sorted()
    }
}
