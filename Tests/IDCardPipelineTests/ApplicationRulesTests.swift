import Foundation
import IDCardCore
import IDCardPipeline
import Testing

@Suite("The rules between the cards of one business number")
struct ApplicationRulesTests {
    private static let now = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)

    private func card(
        _ id: String,
        _ state: CardState,
        _ side: CardSide?,
        order: Int64,
        holder: String? = nil,
        reason: ReasonCode? = nil
    ) -> ApplicationCard {
        ApplicationCard(
            id: CardID(rawValue: id),
            state: state,
            reason: reason,
            side: side,
            holder: (holder ?? (side == .front ? "A" : nil)).map { Data($0.utf8) },
            intakeOrder: order,
            changedAt: Self.now
        )
    }

    private func decide(
        _ cards: [ApplicationCard],
        expected: Int = 0,
        refused: Bool = false,
        awaited: AwaitedInputs = AwaitedInputs(),
        ended: Bool = false,
        after: Duration = .zero,
        erasedFront: Bool = false
    ) throws -> ApplicationRules.Decision {
        let number = try #require(BusinessNumber("B-1"))
        var awaited = awaited
        if refused { awaited.refused += 1 }
        return ApplicationRules.decide(
            ApplicationSnapshot(businessNumber: number, cards: cards, hasErasedFront: erasedFront, awaited: awaited),
            in: ApplicationRules.Context(
                now: Self.now.advanced(by: after),
                expectedInputs: expected,
                intakeHasEnded: ended,
                frontWait: .seconds(600)
            )
        )
    }

    private func ids(_ cards: [ApplicationCard]) -> [String] { cards.map(\.id.rawValue) }

    @Test("A verified front goes; its back waits until the front is delivered")
    func frontBeforeBack() throws {
        let waiting = try self.decide([
            self.card("f", .verified, .front, order: 1), self.card("b", .verified, .back, order: 2),
        ])
        #expect(self.ids(waiting.deliverable) == ["f"])
        #expect(waiting.waiting == [CardID(rawValue: "b"): .waitsForFront])
        #expect(waiting.reconsiderAt == nil, "a front on its way is waited for without a deadline")
        let underway = try self.decide([
            self.card("f", .delivering, .front, order: 1), self.card("b", .verified, .back, order: 2),
        ])
        #expect(underway.deliverable.isEmpty)
        let delivered = try self.decide([
            self.card("f", .delivered, .front, order: 1), self.card("b", .verified, .back, order: 2),
        ])
        #expect(self.ids(delivered.deliverable) == ["b"])
    }

    @Test("A back that comes first waits for a front, for a while")
    func backFirst() throws {
        let back = self.card("b", .verified, .back, order: 1)
        let early = try self.decide([back], after: .seconds(599))
        #expect(early.deliverable.isEmpty)
        #expect(early.waiting.values.first == .waitsForFront)
        #expect(early.reconsiderAt == Self.now.advanced(by: .seconds(600)))
        let late = try self.decide([back], after: .seconds(600))
        #expect(self.ids(late.deliverable) == ["b"])
    }

    @Test("At the end of a batch a back without a front goes at once")
    func backWithoutFront() throws {
        #expect(
            self.ids(try self.decide([self.card("b", .verified, .back, order: 1)], ended: true).deliverable) == ["b"]
        )
    }

    @Test(
        "While a card is unverified, nothing of its business number goes",
        arguments: [CardState.fetching, .received, .prepared]
    )
    func waitsForUnverified(state: CardState) throws {
        let cards = [
            self.card("f", .verified, .front, order: 1), self.card("b", .verified, .back, order: 2),
            self.card("x", state, nil, order: 3),
        ]
        let decision = try self.decide(cards, ended: true)
        #expect(decision.deliverable.isEmpty)
        #expect(Set(decision.waiting.values) == [.waitsForVerification])
    }

    @Test("While an input of the business number is on its way, nothing goes")
    func waitsForExpectedInput() throws {
        let decision = try self.decide([self.card("f", .verified, .front, order: 1)], expected: 1)
        #expect(decision.deliverable.isEmpty)
    }

    @Test(
        "A back whose front ended without delivery stays, blocked",
        arguments: [CardState.rejected, .failed, .held]
    )
    func blockedBack(state: CardState) throws {
        let cards = [
            self.card("f", state, .front, order: 1, reason: .legalityLow), self.card("b", .verified, .back, order: 2),
        ]
        let decision = try self.decide(cards, ended: true)
        #expect(decision.deliverable.isEmpty)
        #expect(decision.waiting == [CardID(rawValue: "b"): .blockedByFront])
        #expect(decision.reconsiderAt == nil)
    }

    @Test("A blocked back is held after its time, counted from when both it and its front had ended")
    func blockedWait() throws {
        let back = self.card("b", .verified, .back, order: 2)
        var front = self.card("f", .rejected, .front, order: 1)
        front.changedAt = Self.now.advanced(by: .seconds(100))
        let day = Duration.seconds(86_400)
        let blocked = try self.decide([front, back], after: day + .seconds(99))
        #expect(blocked.waiting == [back.id: .blockedByFront] && blocked.heldBacks.isEmpty)
        #expect(blocked.reconsiderAt == front.changedAt.advanced(by: day))
        #expect(try self.decide([front, back], ended: true).reconsiderAt == nil, "a batch does not wait for it")
        let over = try self.decide([front, back], after: day + .seconds(100))
        #expect(over.heldBacks == [back.id: .frontNotDelivered] && over.waiting.isEmpty)
        let input = try self.decide([back], refused: true, after: day)
        #expect(input.heldBacks == [back.id: .frontNotDelivered])
    }

    @Test("A back whose front was erased undelivered is held, not sent alone, once none can come any more")
    func erasedFront() throws {
        let back = self.card("b", .verified, .back, order: 2)
        let held = try self.decide([back], ended: true, erasedFront: true)
        #expect(held.heldBacks == [back.id: .frontErased] && held.deliverable.isEmpty)
        let early = try self.decide([back], erasedFront: true)
        #expect(early.waiting == [back.id: .waitsForFront], "another front may come")
        let front = self.card("f", .verified, .front, order: 3)
        let another = try self.decide([back, front], ended: true, erasedFront: true)
        #expect(self.ids(another.deliverable) == ["f"] && another.heldBacks.isEmpty)
        let unverified = try self.decide([back, self.card("x", .prepared, nil, order: 3)], erasedFront: true)
        #expect(unverified.waiting[back.id] == .waitsForVerification)
    }

    @Test("A back that a person let go without its front goes, but never before one that is on its way")
    func goesAlone() throws {
        var back = self.card("b", .verified, .back, order: 2)
        back.goesAlone = true
        #expect(self.ids(try self.decide([back], erasedFront: true).deliverable) == ["b"])
        let rejected = self.card("f", .rejected, .front, order: 1)
        #expect(self.ids(try self.decide([rejected, back]).deliverable) == ["b"])
        let front = self.card("f", .verified, .front, order: 1)
        #expect(self.ids(try self.decide([front, back]).deliverable) == ["f"])
    }

    @Test("A refused photo of unknown side may have been the front")
    func possibleFront() throws {
        let cards = [self.card("x", .rejected, nil, order: 1), self.card("b", .verified, .back, order: 2)]
        #expect(try self.decide(cards, ended: true).waiting.values.first == .blockedByFront)
    }

    @Test("An input that was refused without a card may have been the front, unless there is one")
    func refusedInput() throws {
        let back = self.card("b", .verified, .back, order: 2)
        #expect(try self.decide([back], refused: true, ended: true).waiting.values.first == .blockedByFront)
        #expect(try self.decide([back], ended: true).deliverable.count == 1)
        let delivered = self.card("f", .delivered, .front, order: 1)
        #expect(try self.decide([delivered, back], refused: true, ended: true).deliverable.count == 1)
        let front = self.card("f", .verified, .front, order: 1)
        #expect(try self.ids(self.decide([front, back], refused: true, ended: true).deliverable) == ["f"])
    }

    @Test("Fronts of different persons are all held, delivered ones stay")
    func holderConflict() throws {
        let cards = [
            self.card("f1", .verified, .front, order: 1, holder: "A"),
            self.card("f2", .verified, .front, order: 2, holder: "B"),
            self.card("b", .verified, .back, order: 3),
        ]
        let decision = try self.decide(cards, ended: true)
        #expect(decision.held.map(\.rawValue) == ["f1", "f2"])
        #expect(decision.superseded.isEmpty && decision.deliverable.isEmpty)
        let late = try self.decide([
            self.card("f1", .delivered, .front, order: 1, holder: "A"),
            self.card("f2", .verified, .front, order: 2, holder: "B"),
        ])
        #expect(late.held.map(\.rawValue) == ["f2"])
        let third = try self.decide([
            self.card("f1", .held, .front, order: 1, holder: "A", reason: .holderConflict),
            self.card("f2", .verified, .front, order: 2, holder: "B"),
        ])
        #expect(third.held.map(\.rawValue) == ["f2"])
    }

    @Test("Once a person has rejected the front of another holder, backs are held for a person, whenever they come")
    func backsOfRejected() throws {
        let delivered = self.card("f1", .delivered, .front, order: 1, holder: "A")
        let rejected = self.card("f2", .rejected, .front, order: 2, holder: "B", reason: .rejectedByOperator)
        var back = self.card("b", .verified, .back, order: 3)
        let decision = try self.decide([delivered, rejected, back])
        #expect(decision.deliverable.isEmpty && decision.heldBacks == [CardID(rawValue: "b"): .holderConflict])
        back.isAccepted = true
        #expect(self.ids(try self.decide([delivered, rejected, back]).deliverable) == ["b"])
        back.isAccepted = false
        let same = self.card("f2", .rejected, .front, order: 2, holder: "A", reason: .rejectedByOperator)
        #expect(self.ids(try self.decide([delivered, same, back]).deliverable) == ["b"])
        let refused = self.card("f2", .rejected, .front, order: 2, holder: "B", reason: .legalityLow)
        #expect(self.ids(try self.decide([delivered, refused, back]).deliverable) == ["b"])
    }

    @Test("While fronts are in conflict no back goes, be another front delivered or not")
    func backsOfConflict() throws {
        let back = self.card("b", .verified, .back, order: 9)
        let delivered = self.card("f1", .delivered, .front, order: 1, holder: "A")
        let open: [[ApplicationCard]] = [
            [delivered, self.card("f2", .verified, .front, order: 2, holder: "B"), back],
            [delivered, self.card("f2", .held, .front, order: 2, holder: "B", reason: .holderConflict), back],
            // A person has yet to say whether it is good, and it names somebody else.
            [delivered, self.card("f2", .held, .front, order: 2, holder: "B", reason: .legalityUnavailable), back],
            [
                self.card("f1", .held, .front, order: 1, holder: "A", reason: .holderConflict),
                self.card("f2", .rejected, .front, order: 2, holder: "B"), back,
            ],
        ]
        for cards in open {
            let decision = try self.decide(cards, ended: true)
            #expect(decision.deliverable.isEmpty)
            #expect(decision.waiting == [CardID(rawValue: "b"): .blockedByConflict])
            #expect(decision.reconsiderAt == nil)
        }
        let settled: [[ApplicationCard]] = [
            [delivered, self.card("f2", .rejected, .front, order: 2, holder: "B"), back],
            [delivered, self.card("f2", .delivered, .front, order: 2, holder: "B"), back],
            [delivered, self.card("f2", .held, .front, order: 2, holder: "A", reason: .legalityUnavailable), back],
        ]
        for cards in settled { #expect(try self.ids(self.decide(cards, ended: true).deliverable) == ["b"]) }
    }

    @Test("A back waits for a front of another holder that a person accepted, though one is delivered")
    func backOfAcceptedFront() throws {
        var accepted = self.card("f2", .verified, .front, order: 2, holder: "B")
        accepted.isAccepted = true
        let cards = [
            self.card("f1", .delivered, .front, order: 1, holder: "A"), accepted,
            self.card("b", .verified, .back, order: 3),
        ]
        let decision = try self.decide(cards, ended: true)
        #expect(self.ids(decision.deliverable) == ["f2"])
        #expect(decision.waiting == [CardID(rawValue: "b"): .waitsForFront])
    }

    @Test("Of two photos of one side the one taken in later wins, also if the older is verified later")
    func retake() throws {
        let both = try self.decide([
            self.card("old", .verified, .front, order: 1), self.card("new", .verified, .front, order: 2),
        ])
        #expect(both.superseded.map(\.rawValue) == ["old"])
        #expect(self.ids(both.deliverable) == ["new"])
        let late = try self.decide([
            self.card("old", .verified, .front, order: 1), self.card("new", .delivered, .front, order: 2),
        ])
        #expect(late.superseded.map(\.rawValue) == ["old"])
        #expect(late.deliverable.isEmpty)
    }

    @Test("A rejected newer photo does not replace a good older one")
    func rejectedRetake() throws {
        let decision = try self.decide([
            self.card("old", .verified, .front, order: 1), self.card("new", .rejected, .front, order: 2),
        ])
        #expect(decision.superseded.isEmpty)
        #expect(self.ids(decision.deliverable) == ["old"])
    }

    @Test("A newer photo goes after a delivered older one, and waits for one underway or of unknown outcome")
    func newerAfterOlder() throws {
        let after = try self.decide([
            self.card("old", .delivered, .front, order: 1), self.card("new", .verified, .front, order: 2),
        ])
        #expect(self.ids(after.deliverable) == ["new"])
        var restored = self.card("old", .held, .front, order: 1, reason: .restored)
        restored.isInKeptDelivery = true
        let waits: [(ApplicationCard, ReasonCode)] = [
            (self.card("old", .delivering, .front, order: 1), .waitsForOlderPhoto),
            (self.card("old", .held, .front, order: 1, reason: .outcomeUnknown), .blockedByOlderPhoto),
            (restored, .blockedByOlderPhoto),
        ]
        for (older, reason) in waits {
            let decision = try self.decide([older, self.card("new", .verified, .front, order: 2)])
            #expect(decision.deliverable.isEmpty)
            #expect(decision.waiting.values.first == reason)
        }
    }

    @Test("Backs are superseded among themselves, not by fronts")
    func backsAmongThemselves() throws {
        let decision = try self.decide([
            self.card("f", .delivered, .front, order: 3), self.card("b1", .verified, .back, order: 1),
            self.card("b2", .verified, .back, order: 2),
        ])
        #expect(decision.superseded.map(\.rawValue) == ["b1"])
        #expect(self.ids(decision.deliverable) == ["b2"])
    }

    @Test("What a living process expects holds all, what it refused holds backs without a front")
    func awaitedByTheLiving() throws {
        let back = self.card("b", .verified, .back, order: 1)
        let front = self.card("f", .verified, .front, order: 2)
        let expected = AwaitedInputs(expected: 1)
        let waiting = try self.decide([back, front], awaited: expected, ended: true, after: .seconds(9999))
        #expect(Set(waiting.waiting.values) == [.waitsForVerification])
        #expect(waiting.reconsiderAt == nil && waiting.heldBacks.isEmpty)
        let refused = AwaitedInputs(refused: 1)
        let blocked = try self.decide([back], awaited: refused, ended: true, after: .seconds(9999))
        #expect(blocked.waiting.values.first == .blockedByFront)
        #expect(blocked.heldBacks.isEmpty)
    }

    @Test("What an ended process left holds a back for the front wait, then leaves it to a person")
    func abandoned() throws {
        let back = self.card("b", .verified, .back, order: 1)
        let front = self.card("f", .verified, .front, order: 2)
        let (expected, refused) = (
            AwaitedInputs(abandonedExpected: 1, abandonedAt: Self.now),
            AwaitedInputs(abandonedRefused: 1, abandonedAt: Self.now)
        )
        let lapse = Self.now.advanced(by: .seconds(600))
        for (awaited, reason) in [(expected, ReasonCode.waitsForVerification), (refused, .blockedByFront)] {
            let early = try self.decide([back], awaited: awaited, ended: true, after: .seconds(599))
            #expect(early.waiting.values.first == reason)
            #expect(early.reconsiderAt == lapse)
        }
        for (awaited, reason) in [(expected, ReasonCode.frontExpected), (refused, .frontRefused)] {
            let late = try self.decide([back], awaited: awaited, ended: true, after: .seconds(600))
            #expect(late.heldBacks == [back.id: reason])
            #expect(late.waiting.isEmpty && late.deliverable.isEmpty && late.reconsiderAt == nil)
            var alone = back
            alone.goesAlone = true
            let decided = try self.decide([alone], awaited: awaited, ended: true, after: .seconds(600))
            #expect(self.ids(decided.deliverable) == ["b"])
            // With a front at hand, nobody needs the other one.
            let pair = try self.decide([back, front], awaited: awaited, ended: true, after: .seconds(600))
            #expect(self.ids(pair.deliverable) == ["f"])
            #expect(pair.waiting == [back.id: .waitsForFront])
        }
    }

    @Test("A back that a person accepted does not wait for a front that nobody knows of")
    func acceptedBack() throws {
        var back = self.card("b", .verified, .back, order: 1)
        #expect(try self.decide([back]).waiting.values.first == .waitsForFront)
        back.isAccepted = true
        #expect(try self.ids(self.decide([back]).deliverable) == ["b"])
        let refused = AwaitedInputs(abandonedRefused: 1, abandonedAt: Self.now)
        #expect(try self.decide([back], awaited: refused, after: .seconds(600)).heldBacks.count == 1)
    }
}
