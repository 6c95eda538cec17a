import CardEngine
import CardInput
import CardModel
import TestSupport
import Testing

@testable import CardCommand
@testable import CardStore

@Suite struct RunTrackerTests {
    @Test func `What is taken in again, with what of its number is left, counts as what it was at first`() {
        let items = ["front", "back"].map { name in
            InputItem(
                place: .address(Redacted("https://host/\(name).jpg")),
                name: Redacted(name),
                metadata: CardMetadata(businessNumber: BusinessNumber(stored: "B-1"))
            )
        }
        let tracker = RunTracker(listing: items.map { .take($0) })
        func take(_ item: InputItem, isDuplicate: Bool) {
            let card = CardID(rawValue: item.name.reveal())
            let outcome = AdmissionOutcome(card: card, state: .prepared, reason: nil, isDuplicate: isDuplicate)
            tracker.observe(.taken(item, outcome))
        }
        take(items[0], isDuplicate: false)
        tracker.observe(.refused(items[1], CodedError(.queueFull, .storage, "later")))
        #expect(tracker.left(of: [items]) == [items])
        #expect(tracker.report(known: []).counts == ["admitted": 1, "duplicate": 0, "refused": 0, "ignored": 0])
        take(items[0], isDuplicate: true)
        take(items[1], isDuplicate: false)
        #expect(tracker.left(of: [items]) == [])
        #expect(tracker.report(known: []).counts == ["admitted": 2, "duplicate": 0, "refused": 0, "ignored": 0])
        #expect(tracker.report(known: []).refusals == [:])
    }
}
