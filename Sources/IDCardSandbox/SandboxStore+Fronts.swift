import Foundation
import GRDB
import IDCardCore
import IDCardPipeline

// What is done within one transaction to the backs of a front that is erased or delivered.
extension SandboxStore {
    /// Whether a front of a business number was erased undelivered, and none was delivered since.
    func hasErasedFront(_ number: BusinessNumber, in db: Database) throws -> Bool {
        let fingerprint = self.fingerprint(of: number.rawValue)
        return try Bool.fetchOne(db, cached: FrontSQL.isRemembered, arguments: [fingerprint]) ?? false
    }

    /// Remembers that a front was erased undelivered, and holds the backs of its number that nothing else keeps waiting.
    ///
    /// To be called when the card is a tombstone already, so that it is not taken for a front that is still there.
    ///
    /// - Parameter card: the row of the card before it was erased.
    func noteErasedFront(_ card: Row, now: Timestamp, in db: Database) throws {
        let state: CardState = try Self.word(card["state"], in: "card.state")
        let side = try (card["side"] as String?).map { try Self.word($0, in: "card.side") as CardSide }
        let reason = (card["reason"] as String?).map(ReasonCode.init)
        guard ApplicationRules.mayBeUndeliveredFront(side, state) else { return }
        let number: String = card["business_no"]
        let isDelivered = try Bool.fetchOne(db, cached: FrontSQL.isDelivered, arguments: [number]) ?? false
        if !isDelivered {
            try db.execute(
                cached: FrontSQL.remember,
                arguments: [self.fingerprint(of: number), now.millisecondsSinceEpoch]
            )
        }
        // Of two holders one is gone: the backs may be that one's, whichever front is delivered.
        let isConflict = state == .held && reason == .holderConflict
        let isAlive = try isDelivered || Bool.fetchOne(db, cached: FrontSQL.isAlive, arguments: [number]) ?? false
        guard isConflict || !isAlive else { return }
        let hold: ReasonCode = isConflict ? .holderConflict : .frontErased
        for back in try String.fetchAll(db, cached: FrontSQL.waitingBacks, arguments: [number]) {
            var transition = CardTransition(card: CardID(rawValue: back), from: .verified, to: .held, now: now)
            (transition.reason, transition.message) = (hold, ApplicationRules.message(for: hold))
            try self.perform(transition, in: db)
        }
    }

    /// Forgets the erased fronts of a business number once a front of it is delivered, and releases the backs that are
    /// held because none was.
    func noteDelivered(_ card: CardID, now: Timestamp, in db: Database) throws {
        guard let row = try Row.fetchOne(db, cached: FrontSQL.side, arguments: [card.rawValue]),
            (row["side"] as String?) == CardSide.front.rawValue
        else { return }
        let number: String = row["business_no"]
        try db.execute(cached: FrontSQL.forget, arguments: [self.fingerprint(of: number)])
        for back in try String.fetchAll(db, cached: FrontSQL.heldBacks, arguments: [number]) {
            let id = CardID(rawValue: back)
            try self.perform(
                CardTransition(card: id, from: .held, to: .verified, kind: "released", now: now),
                in: db
            )
        }
    }

    private func fingerprint(of number: String) -> Data {
        self.vault.fingerprint(Data(number.utf8), purpose: Vault.Purpose.businessNumber)
    }
}
