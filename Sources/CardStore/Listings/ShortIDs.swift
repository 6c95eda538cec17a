package import CardModel

// The end of an id is random (RFC 9562 section 5.7): a few digits of it distinguish a card from all others.
extension SandboxListings {
    /// The fewest digits that may name a card.
    private static let fewestDigits = 8

    /// Finds the cards that a person names, each by its whole id or by the last digits of it.
    ///
    /// - Returns: their ids; a text that names no card is unchanged.
    /// - Throws: `id_too_short`; `id_ambiguous` with the ids that it may mean.
    package func ids(matching texts: [String]) async throws -> [CardID] {
        try await self.read { tx in try texts.map { try Self.id(matching: $0, in: tx) } }
    }

    /// Returns the last digits of each id, no more than distinguish it from all others.
    package func shortIDs(of ids: [CardID]) async throws -> [CardID: String] {
        try await self.read { tx in
            try Dictionary(ids.map { ($0, try Self.shortID(of: $0, in: tx)) }) { first, _ in first }
        }
    }

    static func id(matching text: String, in tx: Transaction) throws -> CardID {
        let digits = text.lowercased()
        for id in [text, digits] where try tx.exists("SELECT 1 FROM card WHERE id = \(id)") {
            return CardID(rawValue: id)
        }
        guard !digits.isEmpty, digits.allSatisfy({ $0.isHexDigit || $0 == "-" }) else { return CardID(rawValue: text) }
        guard digits.count >= Self.fewestDigits else {
            throw CodedError(.idTooShort, .usage, .cardIDTooShort(text, fewest: Self.fewestDigits))
        }
        let found = try Self.ids(endingLike: digits, in: tx).filter { $0.rawValue.hasSuffix(digits) }
        guard found.count <= 1 else {
            throw CodedError(.idAmbiguous, .usage, .cardIDAmbiguous(text, found.map(\.rawValue).sorted()))
        }
        return found.first ?? CardID(rawValue: text)
    }

    static func shortID(of id: CardID, in tx: Transaction) throws -> String {
        let others = try Self.ids(endingLike: id.rawValue, in: tx).filter { $0 != id }.map(\.rawValue)
        var digits = Self.fewestDigits
        while others.contains(where: { $0.hasSuffix(id.rawValue.suffix(digits)) }) { digits += 1 }
        return String(id.rawValue.suffix(digits))
    }

    /// The last eight digits, the expression of the index `card_end`; PostgreSQL counts no position from the end.
    static let end: SQL = "CASE WHEN length(id) < 8 THEN id ELSE substr(id, length(id) - 7) END"

    /// The cards whose ids have their last eight digits in common with a text.
    private static func ids(endingLike text: String, in tx: Transaction) throws -> [CardID] {
        try tx.values("SELECT id FROM card WHERE \(Self.end) = \(String(text.suffix(Self.fewestDigits)))")
    }
}

extension ReasonCode {
    fileprivate static let idTooShort = ReasonCode(rawValue: "id_too_short")
    fileprivate static let idAmbiguous = ReasonCode(rawValue: "id_ambiguous")
}
