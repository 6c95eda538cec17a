import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardSandbox

extension SandboxStore {
    /// Lets the owner die with its leases and its notes, as `kill -9` does to a process.
    func die() throws {
        try self.registeredOwner.lock.release()
    }

    /// Brings card 1 into a delivery that is claimed and has begun an attempt.
    func beginSampleDelivery() async throws -> Delivery {
        let card = try await self.claimPrepared(limit: 1, until: .second(99), now: .second(1))[0]
        let image = try await self.preparedImage(of: card.id)
        let key = ReadingKey(imageDigest: image.digest, provider: "faceid-v1", parameters: "")
        let reading = CardReading(side: .front, fields: CardFields(name: "样本甲", number: "11010519491231002X"))
        _ = try await self.conclude(card.id, as: .judged(reading, key, .accepted), attempt: nil, now: .second(2))
        let delivery = Delivery(
            id: DeliveryID(rawValue: "delivery-1"),
            boundary: "b",
            parts: [.text("token-1", name: "TOKEN"), .image(of: card.id, name: "f", filename: "f", contentType: "t")],
            members: [card.id],
            businessNumbers: [card.metadata.businessNumber]
        )
        let basis = try await self.snapshot(of: card.metadata.businessNumber)
        let change = ApplicationChange(deliveries: [delivery])
        #expect(try await self.apply(change, basis: basis, now: .second(3)) != nil)
        #expect(try await self.claimDeliveries(limit: 1, until: .second(99), now: .second(4)) == [delivery])
        _ = try await self.beginAttempt(of: delivery.id, after: 0, now: .second(4))
        return delivery
    }
}
