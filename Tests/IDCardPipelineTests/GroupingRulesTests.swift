import Foundation
import IDCardCore
import IDCardPipeline
import Testing

@Suite("The rules where one delivery holds several cards")
struct GroupingRulesTests {
    private static let now = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)

    private func card(
        _ id: String,
        _ state: CardState,
        _ side: CardSide,
        order: Int64,
        holder: String = "A",
        notBefore: Duration? = nil
    ) -> ApplicationCard {
        ApplicationCard(
            id: CardID(rawValue: id),
            state: state,
            side: side,
            holder: side == .front ? Data(holder.utf8) : nil,
            intakeOrder: order,
            changedAt: Self.now,
            nextAttemptAt: notBefore.map { Self.now.advanced(by: $0) }
        )
    }

    private func decide(
        _ cards: [ApplicationCard],
        together: Bool = true,
        frontWaits: Bool = false,
        ended: Bool = false,
        after: Duration = .zero
    ) throws -> ApplicationRules.Decision {
        ApplicationRules.decide(
            ApplicationSnapshot(businessNumber: try #require(BusinessNumber("B-1")), cards: cards),
            in: ApplicationRules.Context(
                now: Self.now.advanced(by: after),
                expectedInputs: 0,
                intakeHasEnded: ended,
                frontWait: .seconds(600),
                sidesGoTogether: together,
                frontWaitsForBack: frontWaits
            )
        )
    }

    private func ids(_ cards: [ApplicationCard]) -> [String] { cards.map(\.id.rawValue) }

    @Test("A back goes with its front, behind it")
    func together() throws {
        let cards = [self.card("b", .verified, .back, order: 1), self.card("f", .verified, .front, order: 2)]
        #expect(self.ids(try self.decide(cards).deliverable) == ["f", "b"])
        #expect(self.ids(try self.decide(cards, together: false).deliverable) == ["f"])
    }

    @Test("A back does not go with an accepted front while another is still in conflict")
    func conflict() throws {
        var accepted = self.card("f2", .verified, .front, order: 2, holder: "B")
        accepted.isAccepted = true
        var held = self.card("f1", .held, .front, order: 1)
        held.reason = .holderConflict
        let back = self.card("b", .verified, .back, order: 3)
        let decision = try self.decide([held, accepted, back])
        #expect(self.ids(decision.deliverable) == ["f2"])
        #expect(decision.waiting == [CardID(rawValue: "b"): .blockedByConflict])
        let rejected = self.card("f1", .rejected, .front, order: 1)
        #expect(self.ids(try self.decide([rejected, accepted, back]).deliverable) == ["f2", "b"])
        let delivered = self.card("f1", .delivered, .front, order: 1)
        #expect(self.ids(try self.decide([delivered, accepted, back]).deliverable) == ["f2", "b"])
    }

    @Test("A back does not go with a front that itself must wait")
    func frontMustWait() throws {
        let decision = try self.decide([
            self.card("old", .delivering, .front, order: 1), self.card("new", .verified, .front, order: 2),
            self.card("b", .verified, .back, order: 3),
        ])
        #expect(decision.deliverable.isEmpty)
        #expect(
            decision.waiting == [
                CardID(rawValue: "new"): .waitsForOlderPhoto, CardID(rawValue: "b"): .waitsForFront,
            ]
        )
    }

    @Test("In the layout application a front waits for its back, at most as long as a back for its front")
    func frontWaits() throws {
        let alone = [self.card("f", .verified, .front, order: 1)]
        let waiting = try self.decide(alone, frontWaits: true)
        #expect(waiting.waiting == [CardID(rawValue: "f"): .waitsForBack])
        #expect(waiting.reconsiderAt == Self.now.advanced(by: .seconds(600)))
        #expect(self.ids(try self.decide(alone, frontWaits: true, after: .seconds(600)).deliverable) == ["f"])
        #expect(self.ids(try self.decide(alone, frontWaits: true, ended: true).deliverable) == ["f"])
        #expect(self.ids(try self.decide(alone).deliverable) == ["f"], "a batch does not wait for it")
    }

    @Test(
        "A back that comes later goes alone, its front delivered; a back that was refused keeps no front waiting for ever"
    )
    func late() throws {
        let late = [self.card("f", .delivered, .front, order: 1), self.card("b", .verified, .back, order: 2)]
        #expect(self.ids(try self.decide(late, frontWaits: true).deliverable) == ["b"])
        let refused = [self.card("f", .verified, .front, order: 1), self.card("b", .rejected, .back, order: 2)]
        #expect(try self.decide(refused, frontWaits: true).deliverable.isEmpty)
        #expect(self.ids(try self.decide(refused, frontWaits: true, after: .seconds(600)).deliverable) == ["f"])
    }

    @Test("A card that the backend sent away waits its time, and its back with it")
    func sentAway() throws {
        let cards = [
            self.card("f", .verified, .front, order: 1, notBefore: .seconds(5)),
            self.card("b", .verified, .back, order: 2),
        ]
        let waiting = try self.decide(cards)
        #expect(waiting.deliverable.isEmpty)
        #expect(waiting.waiting[CardID(rawValue: "f")] == .waitsForRetry)
        #expect(waiting.reconsiderAt == Self.now.advanced(by: .seconds(5)))
        #expect(self.ids(try self.decide(cards, after: .seconds(5)).deliverable) == ["f", "b"])
    }
}
