import IDCardCore
import IDCardPipeline
import Testing

@Suite("What a person is told who may not change a card so")
struct OperatorRulesTests {
    private static func held(_ reason: ReasonCode) throws -> Card {
        let number = try #require(BusinessNumber("B-1"))
        return Card(
            id: CardID(rawValue: "card-1"),
            state: .held,
            reason: reason,
            metadata: CardMetadata(businessNumber: number),
            intakeOrder: 1,
            createdAt: Timestamp(millisecondsSinceEpoch: 0),
            changedAt: Timestamp(millisecondsSinceEpoch: 0)
        )
    }

    private static func circumstances(wasRead: Bool) -> OperatorRules.Circumstances {
        OperatorRules.Circumstances(
            hasImage: true,
            wasRead: wasRead,
            newerIsDelivered: false,
            newerIsDelivering: false,
            mayBeAtBackend: false,
            delivery: .none
        )
    }

    @Test(
        "A card that was never verified is to be done again, not rejected",
        arguments: [
            (ReasonCode.restored, Resolution.accept), (.restored, .resend), (.attemptsExhausted, .delivered),
        ]
    )
    func neverRead(reason: ReasonCode, resolution: Resolution) throws {
        let card = try Self.held(reason)
        let error = #expect(throws: StoreError.self) {
            try OperatorRules.requireResolution(of: card, as: resolution, under: Self.circumstances(wasRead: false))
        }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("it was not verified yet; retry it") == true)
        #expect(error?.message.contains("reject") == false)
    }

    @Test("A card on which the verifier saw neither side is to be rejected")
    func neitherSide() throws {
        let card = try Self.held(.legalityUnavailable)
        let error = #expect(throws: StoreError.self) {
            try OperatorRules.requireResolution(of: card, as: .accept, under: Self.circumstances(wasRead: true))
        }
        #expect(error?.message.contains("the verifier saw neither side on it; reject it") == true)
    }
}
