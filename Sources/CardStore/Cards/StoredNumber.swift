import CardModel
import Foundation

// The business number under which rows are stored: spelled as in its case, or its digest once it is erased.
extension Sandbox {
    /// Returns the number under which the sandbox has a case; the given one if it has none.
    func stored(_ number: BusinessNumber, in tx: Transaction) throws -> BusinessNumber {
        let keys = [number.key, self.digest(of: number).key]
        return try tx.value("SELECT number FROM cases WHERE key IN \(list: keys)") ?? number
    }

    private func digest(of number: BusinessNumber) -> BusinessNumber {
        BusinessNumber(digest: self.vault.fingerprint(Data(number.key.utf8), .number))
    }

    /// Replaces a number by its digest, in its case and the rows of its cards.
    private func forget(_ number: BusinessNumber, in tx: Transaction) throws -> BusinessNumber {
        let digest = self.digest(of: number)
        // Rows of `card` follow.
        try tx.run("UPDATE cases SET number = \(digest), key = \(digest.key) WHERE number = \(number)")
        try tx.run("UPDATE input SET number = \(digest) WHERE number = \(number)")
        tx.changed.remove(number)
        tx.changed.insert(digest)
        return digest
    }

    /// Replaces the numbers that name a person, or whose erasure a person asked for, once the last card is erased.
    ///
    /// - Returns: the digests, by card.
    func forgetNumbers(of cards: [CardID], in tx: Transaction) throws -> [CardID: BusinessNumber] {
        guard !cards.isEmpty else { return [:] }
        let gone = try tx.values(
            """
            SELECT number FROM cases WHERE personal <> 0 AND number IN (SELECT number FROM card WHERE id IN \(list: cards))
            AND NOT EXISTS (SELECT 1 FROM card WHERE card.number = cases.number AND state <> \(literal: .erased))
            """,
            as: BusinessNumber.self
        )
        var digests: [CardID: BusinessNumber] = [:]
        for number in gone where !number.isDigest {
            let own = try tx.values("SELECT id FROM card WHERE number = \(number)", as: CardID.self)
            let digest = try self.forget(number, in: tx)
            for card in own where cards.contains(card) { digests[card] = digest }
        }
        return digests
    }

    /// Replaces the numbers that were erased after a backup, whose digests the list of erasures has.
    func forgetNumbers(withDigests digests: Set<BusinessNumber>, in tx: Transaction) throws {
        guard !digests.isEmpty else { return }
        for number in try tx.values("SELECT number FROM cases", as: BusinessNumber.self)
        where digests.contains(self.digest(of: number)) { _ = try self.forget(number, in: tx) }
    }

    /// Marks the case of a number that names a person: its number is erased with its last card.
    func markPersonal(_ number: BusinessNumber, in tx: Transaction) throws {
        try tx.run("UPDATE cases SET personal = 1 WHERE number = \(number) AND personal = 0")
    }

    /// Whether a person has said that a number which seems to name a person is right.
    func isNumberAccepted(_ number: BusinessNumber, in tx: Transaction) throws -> Bool {
        try tx.exists("SELECT 1 FROM cases WHERE number = \(number) AND personal = 2")
    }
}
