import IDCardCore
import IDCardPipeline

extension InMemoryState {
    /// Remembers that a front was erased undelivered, and holds the backs that nothing else keeps waiting.
    mutating func noteErasedFront(_ front: CardEntry, now: Timestamp) throws {
        let number = front.card.metadata.businessNumber
        let side = front.card.side ?? front.card.metadata.side
        guard ApplicationRules.mayBeUndeliveredFront(side, front.card.state) else { return }
        let others = self.cards.values.filter { $0.card.metadata.businessNumber == number }
        let isDelivered = others.contains { $0.card.state == .delivered && $0.shownSide == .front }
        if !isDelivered { self.erasedFronts.insert(number) }
        let isConflict = front.card.state == .held && front.card.reason == .holderConflict
        let isAlive = others.contains {
            ($0.card.state.isRunnable || $0.card.state == .held) && ($0.shownSide ?? .front) == .front
        }
        guard isConflict || !(isDelivered || isAlive) else { return }
        let reason: ReasonCode = isConflict ? .holderConflict : .frontErased
        for other in others where other.card.state == .verified && other.card.side == .back && !other.goesAlone {
            try self.move(
                other.card.id,
                from: .verified,
                to: .held,
                reason: reason,
                message: ApplicationRules.message(for: reason),
                now: now
            )
        }
    }

    /// Forgets the erased fronts of a business number once a front of it is delivered, and releases its held backs.
    mutating func noteDelivered(_ front: CardEntry, now: Timestamp) throws {
        guard front.shownSide == .front else { return }
        let number = front.card.metadata.businessNumber
        self.erasedFronts.remove(number)
        for other in self.cards.values where other.card.metadata.businessNumber == number && other.card.isHeldForFront {
            try self.move(other.card.id, from: .held, to: .verified, kind: "released", now: now)
        }
    }
}

extension InMemoryState.CardEntry {
    /// The side that the verifier saw, else the side that the metadata names.
    fileprivate var shownSide: CardSide? { self.card.side ?? self.card.metadata.side }
}
