import CardEngine
import CardInput
import CardModel
import TestSupport
import Testing

@testable import CardCommand
@testable import CardStore

@Suite struct InputFollowerTests {
    @Test func `What is taken in again, with what of its number is left, counts as what it was at first`() {
        let items = ["front", "back"].map(Photo.specimen)
        var follower = InputFollower(items.map { .admit($0) })
        func take(_ item: Photo, isDuplicate: Bool) {
            let card = CardID(rawValue: item.name.reveal())
            let outcome = Admitted(card: card, state: .prepared, reason: nil, isDuplicate: isDuplicate)
            _ = follower.observe(.taken(item, outcome))
        }
        take(items[0], isDuplicate: false)
        #expect(follower.observe(.refused(items[1], CodedError(.queueFull, .storage, "later"))) == [])
        #expect(follower.left(of: [items]) == [items])
        #expect(
            SourceRun.Report(follower, known: []).counts == ["admitted": 1, "duplicate": 0, "refused": 0, "ignored": 0]
        )
        take(items[0], isDuplicate: true)
        take(items[1], isDuplicate: false)
        #expect(follower.left(of: [items]) == [])
        #expect(
            SourceRun.Report(follower, known: []).counts == ["admitted": 2, "duplicate": 0, "refused": 0, "ignored": 0]
        )
        #expect(SourceRun.Report(follower, known: []).refusals == [:])
    }

    @Test(arguments: [
        (CardState?.none, InputState.duplicate, false), (.delivered, .card(.delivered), false),
        (.fetching, .card(.fetching), true),
    ])
    func `What is fetched again is the known card until it is another photo, and is not done before`(
        _ state: CardState?,
        _ counted: InputState,
        _ isWorkLeft: Bool
    ) throws {
        let item = Photo.specimen("front")
        var follower = InputFollower([.admit(item)])
        let (known, retake) = (CardID(rawValue: "known"), CardID(rawValue: "retake"))
        var outcome = Admitted(card: known, state: .delivered, isDuplicate: true)
        outcome.retake = retake
        #expect(follower.observe(.taken(item, outcome)) == [])
        if let state, state != .fetching {
            #expect(follower.observe(.changed(CardChange(card: retake, state: state))) == [0])
        }
        var cards = [known: Self.card(known, .delivered)]
        cards[retake] = state.map { Self.card(retake, $0) }
        #expect(Set(follower.knownCards) == [known, retake])
        let line = RunLine(0, of: follower, card: follower.card(0, in: cards), newOnly: false)
        let counts = InputCounts([line])
        #expect(counts[counted] == 1 && counts.total == 1)
        #expect((counts.exitStatus() == .workRemains) == isWorkLeft)
        // Nobody hears of the id of a card that may go again.
        #expect(line.cardID == (state == .delivered ? retake : known))
        #expect(line.duplicateOf == (state == .delivered ? nil : known))
    }

    private static func card(_ id: CardID, _ state: CardState) -> Card {
        let (metadata, now) = (Photo.specimen("front").metadata, Timestamp(millisecondsSinceEpoch: 0))
        return Card(
            id: id,
            state: state,
            metadata: metadata,
            submitter: "local",
            order: 1,
            taken: nil,
            waitsUntil: now,
            createdAt: now,
            changedAt: now
        )
    }
}

extension Photo {
    fileprivate static func specimen(_ name: String) -> Photo {
        Photo(
            .address(Redacted("https://host/\(name).jpg")),
            name: Redacted(name),
            metadata: CardMetadata(businessNumber: BusinessNumber(stored: "B-1"))
        )
    }
}
