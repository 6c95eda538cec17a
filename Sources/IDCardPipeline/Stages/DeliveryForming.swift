import Foundation
import IDCardCore

/// Writes the deliveries of cards that may go: parts, key, and a boundary proven absent from every part.
struct DeliveryForming: Sendable {
    /// The stored image of a card does not open; the others may go.
    struct ImageUnreadable: Error {
        var card: CardID
    }

    let store: any CardStore
    let backend: BusinessBackend
    let random: RandomSource

    /// Forms one delivery.
    ///
    /// - Parameter cards: the cards in order, each with its business number.
    /// - Throws: `RemoteFailure` if the form cannot be written; ``ImageUnreadable``; `StoreError`.
    func delivery(of cards: [(card: ApplicationCard, number: BusinessNumber)]) async throws -> Delivery {
        let members = try cards.map { card, number in
            guard let side = card.side else {
                throw StoreError(.corrupt, "card \(card.id) is verified but has no side")
            }
            return DeliveryMember(card: card.id, side: side, businessNumber: number, userNumber: card.userNumber)
        }
        let parts = try await self.backend.form(members)
        let key = self.random.draw { UUIDText.version4(using: &$0) }
        var images: [CardID: Data] = [:]
        for member in members { images[member.card] = try await self.image(of: member.card) }
        let boundary = try await self.backend.boundary(key, parts, images)
        var numbers: [BusinessNumber] = []
        for member in members where !numbers.contains(member.businessNumber) { numbers.append(member.businessNumber) }
        return Delivery(
            id: DeliveryID(rawValue: key),
            boundary: boundary,
            parts: parts,
            members: members.map(\.card),
            businessNumbers: numbers
        )
    }

    private func image(of card: CardID) async throws -> Data {
        do {
            return try await self.store.preparedImage(of: card).jpeg
        } catch let error as StoreError where error.concernsOneCard {
            throw ImageUnreadable(card: card)
        }
    }
}
