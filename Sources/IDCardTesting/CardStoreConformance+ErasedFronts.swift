import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let erasedFronts: [Case] = [
        Case("erasing the only front undelivered holds the backs, and those that come later are told of it") {
            subject in
            let front = try Sample(1)
            try await subject.judged(front, .rejected(.legalityLow, message: "sample"))
            let back = try await subject.verified(try Sample(2), reading: .back())
            try expectEqual(try await subject.hasErasedFront(), false, "before")
            try await subject.erase(front.id)
            try await subject.expectHeld(back.id)
            let later = try await subject.verified(try Sample(3), reading: .back())
            try expectEqual(later.state, .verified, "a later back is for the rules to hold")
            try expectEqual(try await subject.hasErasedFront(), true, "what they are told")
            let other = try await subject.verified(try Sample(4, businessNumber: "CASE-2"), reading: .back())
            let snapshot = try await subject.store.snapshot(of: other.metadata.businessNumber)
            try expectEqual(snapshot.hasErasedFront, false, "of another business number")
        },
        Case("a photo of unknown side that is erased may have been the front; a back was not") { subject in
            let refused = Admission.Content.refused(ReasonCode(rawValue: "sample"), message: "sample")
            let unknown = try Sample(1, content: refused)
            try await subject.admit(unknown.admission)
            let named = try Sample(2, side: .back, content: refused)
            try await subject.admit(named.admission)
            let back = try await subject.verified(try Sample(3), reading: .back())
            try await subject.erase(named.id)
            try expectEqual(try await subject.card(back.id).state, .verified, "after the back")
            try expectEqual(try await subject.hasErasedFront(), false, "after the back")
            try await subject.erase(unknown.id)
            try await subject.expectHeld(back.id)
        },
        Case("while another front can still be delivered, erasing one holds nothing yet") { subject in
            let front = try Sample(1)
            try await subject.judged(front, .rejected(.legalityLow, message: "sample"))
            let other = try Sample(2)
            try await subject.judged(other, .held(.legalityUnavailable, message: "sample"))
            let back = try await subject.verified(try Sample(3), reading: .back())
            try await subject.erase(front.id)
            try expectEqual(try await subject.card(back.id).state, .verified, "while the other is held")
            try expectEqual(try await subject.hasErasedFront(), true, "what the rules are told")
            _ = try await subject.store.resolve(other.id, as: .reject, by: .tester, now: .second(51))
            try await subject.erase(other.id)
            try await subject.expectHeld(back.id)
        },
        Case("erasing a front beside a delivered one holds no back, unless it was in conflict") { subject in
            try await subject.delivered(try await subject.delivering(try Sample(1)))
            let rejected = try Sample(2)
            try await subject.judged(rejected, .rejected(.legalityLow, message: "sample"))
            let conflicting = try await subject.verified(try Sample(3), reading: .front(number: "440524188001010014"))
            let back = try await subject.verified(try Sample(4), reading: .back())
            let basis = try await subject.store.snapshot(of: .sample("CASE-1"))
            let change = ApplicationChange(held: [conflicting.id])
            try expect(try await subject.store.apply(change, basis: basis, now: .second(9)) != nil, "it is applied")
            try await subject.erase(rejected.id)
            try expectEqual(try await subject.card(back.id).state, .verified, "after the rejected front")
            try await subject.erase(conflicting.id)
            try await subject.expectHeld(back.id, because: .holderConflict)
            try expectEqual(try await subject.hasErasedFront(), false, "a front is delivered")
        },
        Case("a delivered front releases the backs held for one, and no others; the erased front is forgotten") {
            subject in
            let front = try Sample(1)
            try await subject.judged(front, .rejected(.legalityLow, message: "sample"))
            let back = try await subject.verified(try Sample(2), reading: .back())
            let other = try Sample(3)
            try await subject.judged(other, .held(.legalityUnavailable, message: "sample"), reading: .back())
            try await subject.erase(front.id)
            try await subject.expectHeld(back.id)
            try await subject.delivered(try await subject.delivering(try Sample(4)))
            let released = try await subject.card(back.id)
            try expectEqual(released.state, .verified, "the back")
            try expectEqual(released.reason, nil, "its reason")
            let events = try await subject.store.details(of: back.id)?.events
            try expectEqual(events?.last?.kind, "released", "its last event")
            try expectEqual(try await subject.card(other.id).state, .held, "the back that a person must look at")
            try expectEqual(try await subject.hasErasedFront(), false, "what the rules are told")
        },
        Case("a back held for its front goes alone once a person accepts it; one held for another reason does not") {
            subject in
            let front = try Sample(1)
            try await subject.judged(front, .rejected(.legalityLow, message: "sample"))
            let back = try await subject.verified(try Sample(2), reading: .back())
            try await subject.erase(front.id)
            let accepted = try await subject.store.resolve(back.id, as: .accept, by: .tester, now: .second(60))
            try expectEqual(accepted.map(\.state), [.verified], "the state")
            let goesAlone = { try await subject.store.snapshot(of: .sample("CASE-1")).cards.map(\.goesAlone) }
            try expectEqual(try await goesAlone(), [true], "accepted")
            let another = try Sample(3)
            try await subject.judged(another, .held(.legalityUnavailable, message: "sample"), reading: .back())
            _ = try await subject.store.resolve(another.id, as: .accept, by: .tester, now: .second(61))
            try expectEqual(try await goesAlone(), [true, false], "accepted for another reason")
        },
        Case("a back in one delivery with its front is held when the front is erased before it is sent") { subject in
            let (_, cards) = try await subject.pairDelivering()
            try await subject.erase(cards[0])
            try await subject.expectHeld(cards[1])
            try expectEqual(try await subject.card(cards[1]).delivery, nil, "its delivery")
        },
    ]
}

extension StoreSubject {
    /// Whether the rules are told that a front of `CASE-1` was erased undelivered.
    fileprivate func hasErasedFront() async throws -> Bool {
        try await self.store.snapshot(of: .sample("CASE-1")).hasErasedFront
    }

    /// Expects a back to be held because its front was erased.
    fileprivate func expectHeld(_ back: CardID, because reason: ReasonCode = .frontErased) async throws {
        let card = try await self.card(back)
        try expectEqual(card.state, .held, "the back")
        try expectEqual(card.reason, reason, "its reason")
        try expect(card.message?.contains("cards resolve") == true, "it says what to do")
    }
}
