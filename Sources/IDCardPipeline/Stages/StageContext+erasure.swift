import IDCardCore
import Logging

extension StageContext {
    /// Whether a change failed because somebody else has its cards by now: erased, decided by a person, or taken back and
    /// claimed anew. That is the end of that piece of work, not a fault of the store.
    ///
    /// What else became of the cards is told to the observer, and their business numbers are decided on again.
    ///
    /// - Parameters:
    ///   - error: why the change failed.
    ///   - cards: the cards it was about.
    ///   - numbers: their business numbers, which a tombstone does not name any more.
    func wereTaken(_ cards: [CardID], under numbers: [BusinessNumber], after error: StoreError) async throws -> Bool {
        guard error.code == .conflict else { return false }
        var found: [Card] = []
        for id in cards {
            if let card = try await self.store.card(id) { found.append(card) }
        }
        for card in found {
            self.monitor.changed(card)
            self.logger.notice(
                "card taken over or erased while it was under way",
                metadata: ["card.id": "\(card.id)", "card.state": "\(card.state.rawValue)"]
            )
        }
        for number in numbers { self.applications.touch(number) }
        // What was given back may be due at once.
        self.board.announce(.settle, .verify, .deliver)
        return true
    }
}
