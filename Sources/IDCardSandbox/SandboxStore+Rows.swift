import Foundation
import GRDB
import IDCardCore
import IDCardPipeline

extension SandboxStore {
    /// Makes a card from a row of `CardColumn.list`; one that does not open is shown without what is sealed.
    func card(from row: Row, in db: Database) throws -> Card {
        do {
            return try self.soundCard(from: row, in: db)
        } catch let error as StoreError where error.concernsOneCard {
            return try self.card(from: row, opening: false, in: db)
        }
    }

    /// Makes a card from a row of `CardColumn.list`.
    ///
    /// - Throws: `StoreError.corrupt` if what is sealed does not open.
    func soundCard(from row: Row, in db: Database) throws -> Card {
        try self.card(from: row, opening: true, in: db)
    }

    private func card(from row: Row, opening: Bool, in db: Database) throws -> Card {
        let id = CardID(rawValue: row[card: .id])
        var key = Vault.OwnerKey(of: id.rawValue, row: row.dataKey)
        let due: Int64 = row[card: .dueAt]
        return Card(
            id: id,
            state: try Self.word(row[card: .state], in: "card.state"),
            reason: (row[card: .reason] as String?).map(ReasonCode.init),
            message: try opening
                ? self.vault.openText(row[card: .message], with: &key, column: "card.message", in: db) : nil,
            metadata: try self.metadata(from: row, id: id, opening: opening, with: &key, in: db),
            side: try (row[card: .side] as String?).map { try Self.word($0, in: "card.side") },
            intakeOrder: row[card: .intakeOrder],
            attempts: row[card: .attempts],
            nextAttemptAt: due == 0 ? nil : Timestamp(millisecondsSinceEpoch: due),
            isShrunk: row[card: .isShrunk],
            delivery: (row[card: .delivery] as String?).map(DeliveryID.init),
            createdAt: Timestamp(millisecondsSinceEpoch: row[card: .createdAt]),
            changedAt: Timestamp(millisecondsSinceEpoch: row[card: .changedAt])
        )
    }

    private func metadata(
        from row: Row,
        id: CardID,
        opening: Bool,
        with key: inout Vault.OwnerKey,
        in db: Database
    ) throws -> CardMetadata {
        guard let businessNumber = BusinessNumber(stored: row[card: .businessNumber]) else {
            throw Self.corrupt("card.business_no")
        }
        var metadata = CardMetadata(
            businessNumber: businessNumber,
            side: try (row[card: .expectedSide] as String?).map { try Self.word($0, in: "card.expected_side") },
            priority: row[card: .priority]
        )
        guard opening else { return metadata }
        func text(_ column: CardColumn, in place: String) throws -> Redacted<String>? {
            try self.text(row[card: column], of: id, column: place, with: &key, in: db)
        }
        metadata.userNumber = try text(.userNumber, in: "card.user_number")
        metadata.expectedIDNumber = try text(.expectedIDNumber, in: "card.expected_id_number")
        metadata.expectedName = try text(.expectedName, in: "card.expected_name")
        return metadata
    }

    /// What a sealed value of a card's row holds; opened once while the card is under way.
    func text(
        _ sealed: Data?,
        of card: CardID,
        column: String,
        with key: inout Vault.OwnerKey,
        in db: Database
    ) throws -> Redacted<String>? {
        guard let sealed else { return nil }
        let place = RecentCards.SealedText(column: column, bytes: sealed)
        if let known = self.recent.text(in: place, of: card) { return known }
        let text = try self.vault.openText(sealed, with: &key, column: column, in: db).map(Redacted.init)
        if let text { self.recent.note(text, in: place, of: card) }
        return text
    }

    /// Makes a delivery from a row of `DeliverySQL.claim`, and looks up its members and attempts.
    func delivery(from row: Row, in db: Database) throws -> Delivery {
        let id: String = row["id"]
        let parts = try self.vault.open(row["parts"], delivery: id, column: "delivery.parts", in: db)
        let (members, businessNumbers) = try self.membership(of: id, in: db)
        let attempts = try Row.fetchOne(db, cached: DeliverySQL.attempts, arguments: ["delivery": id])
        return Delivery(
            id: DeliveryID(rawValue: id),
            boundary: row["boundary"],
            parts: try Self.decode([DeliveryPart].self, from: parts, in: "delivery.parts"),
            members: members,
            businessNumbers: businessNumbers,
            attempts: row["attempts"],
            mayHaveBeenReceived: attempts?[0] ?? false,
            awaitsDecision: attempts?[1] ?? false,
            lastAttempt: attempts?[2] ?? 0
        )
    }

    func members(of delivery: String, in db: Database) throws -> [CardID] {
        try String.fetchAll(db, cached: DeliverySQL.members, arguments: [delivery]).map(CardID.init)
    }

    /// The members of a claimed delivery in order, and their business numbers, each once.
    private func membership(of delivery: String, in db: Database) throws -> ([CardID], [BusinessNumber]) {
        var members: [CardID] = []
        var numbers: [BusinessNumber] = []
        for row in try Row.fetchAll(db, cached: DeliverySQL.membership, arguments: [delivery]) {
            guard let number = BusinessNumber(stored: row[1]) else { throw Self.corrupt("card.business_no") }
            let card = CardID(rawValue: row[0])
            self.recent.expect(card, isShrunk: row[2])
            members.append(card)
            if !numbers.contains(number) { numbers.append(number) }
        }
        return (members, numbers)
    }

    private static let cardOfID = "SELECT \(CardColumn.list) FROM card WHERE id = ?"

    func fetchCard(_ id: CardID, in db: Database) throws -> Card? {
        try Row.fetchOne(db, cached: Self.cardOfID, arguments: [id.rawValue]).map {
            try self.card(from: $0, in: db)
        }
    }

    /// - Throws: `StoreError.notFound` if there is no card of this name.
    func requireCard(_ id: CardID, in db: Database) throws -> Card {
        guard let card = try self.fetchCard(id, in: db) else {
            throw StoreError(.notFound, "there is no card \(id)")
        }
        return card
    }

    // MARK: Values

    static func word<Word: RawRepresentable<String>>(_ text: String, in column: String) throws -> Word {
        guard let word = Word(rawValue: text) else { throw Self.corrupt(column) }
        return word
    }

    /// Decodes a stored value; what the decoder has to say may quote the value, so it is not passed on.
    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data, in column: String) throws -> Value {
        guard let value = try? JSONDecoder().decode(type, from: data) else { throw Self.corrupt(column) }
        return value
    }

    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    static func corrupt(_ column: String) -> StoreError {
        StoreError(.corrupt, "the sandbox holds an impossible value in \(column); restore it from a backup")
    }
}
