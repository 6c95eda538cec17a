import IDCardCore
import Logging

extension StageContext {
    /// Whether a change failed because one of some cards was erased in the meantime: that is the end of that piece of
    /// work, not a fault of the store.
    ///
    /// What else became of the cards is told to the observer, and their business numbers are decided on again.
    ///
    /// - Parameters:
    ///   - error: why the change failed.
    ///   - cards: the cards it was about.
    ///   - numbers: their business numbers, which a tombstone does not name any more.
    func wereErased(_ cards: [CardID], under numbers: [BusinessNumber], after error: StoreError) async throws -> Bool {
        guard error.code == .conflict else { return false }
        var found: [Card] = []
        for id in cards {
            if let card = try await self.store.card(id) { found.append(card) }
        }
        guard found.contains(where: { $0.state == .erased }) else { return false }
        for card in found {
            self.monitor.changed(card)
            if card.state == .erased {
                self.logger.notice("card erased while it was under way", metadata: ["card.id": "\(card.id)"])
            }
        }
        for number in numbers { self.applications.touch(number) }
        self.board.announce(.settle)
        return true
    }
}
