import Foundation
import IDCardCore
import IDCardPipeline
import Synchronization
import Testing

@testable import IDCardApp

@Suite("What a run says of its inputs")
struct RunTrackerTests {
    private static let time = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)

    private func card(_ id: String, _ state: CardState, reason: ReasonCode? = nil) throws -> Card {
        Card(
            id: CardID(rawValue: id),
            state: state,
            reason: reason,
            metadata: CardMetadata(businessNumber: try #require(BusinessNumber("B-1"))),
            intakeOrder: 1,
            createdAt: Self.time,
            changedAt: Self.time
        )
    }

    private func tracker(_ count: Int, onEnd: @escaping @Sendable (RunCardReport) -> Void = { _ in }) throws
        -> RunTracker
    {
        let metadata = CardMetadata(businessNumber: try #require(BusinessNumber("B-1")))
        let items = (0..<count).map {
            IntakeItem(source: "photo-\($0)", path: "/photo-\($0)", disposition: .take(metadata))
        }
        return RunTracker(items: IntakeList(items), onEnd: onEnd)
    }

    @Test(
        "A card that this run moved is counted under its end state",
        arguments: [
            (CardState.delivered, ReasonCode?.none, CommandStatus.delivered), (.rejected, nil, .someNotDelivered),
            (.failed, nil, .someNotDelivered), (.held, .holderConflict, .someNotDelivered),
            (.superseded, nil, .delivered), (.prepared, nil, .workRemains), (.verified, nil, .workRemains),
            (.verified, .blockedByFront, .someNotDelivered), (.verified, .waitsForVerification, .workRemains),
            (.delivering, nil, .workRemains),
        ]
    )
    func moved(state: CardState, reason: ReasonCode?, status: CommandStatus) throws {
        let tracker = try self.tracker(1)
        tracker.observe(.cardChanged(try self.card("a", .prepared)))
        tracker.observe(.input(index: 0, .admitted(try self.card("a", .prepared))))
        if state != .prepared { tracker.observe(.cardChanged(try self.card("a", state, reason: reason))) }
        #expect(tracker.counts()[state.rawValue] == 1)
        #expect(tracker.counts().total == 1)
        #expect(tracker.exitStatus(stopped: false) == status)
        #expect(tracker.exitStatus(stopped: true) == (status == .delivered ? .delivered : .endpointStopped))
    }

    @Test("An input refused for want of room ends the run with 74, whatever else is to be said")
    func wantOfRoom() throws {
        let tracker = try self.tracker(2)
        tracker.observe(.input(index: 0, .refused(.diskSpaceLow, message: "no room")))
        tracker.observe(.input(index: 1, .refused(.sourceUnreadable, message: "gone")))
        #expect(tracker.exitStatus(stopped: false) == .sandboxError)
        #expect(tracker.exitStatus(stopped: true) == .sandboxError)
        #expect(tracker.counts()["unchanged"] == 1 && tracker.counts()["rejected"] == 1)
        #expect(tracker.reports().map(\.state) == ["unchanged", "rejected"])
        #expect(tracker.reports()[0].reason == "disk_space_low")
    }

    @Test("Work that remains because there is no room ends the run with 74; with room again it is 75")
    func remainsForWantOfRoom() throws {
        let tracker = try self.tracker(1)
        tracker.observe(.input(index: 0, .admitted(try self.card("a", .prepared))))
        tracker.observe(.spaceChanged(.critical(message: "no room")))
        #expect(tracker.exitStatus(stopped: false) == .sandboxError)
        tracker.observe(.spaceChanged(.ample))
        #expect(tracker.exitStatus(stopped: false) == .workRemains)
    }

    @Test(
        "A card that was there and did not move is a duplicate; whether it makes exit 1 depends on where it stands",
        arguments: [
            (CardState.delivered, ReasonCode?.none, "duplicate", CommandStatus.delivered),
            (.rejected, nil, "duplicate", .delivered), (.failed, nil, "duplicate", .someNotDelivered),
            (.held, .outcomeUnknown, "duplicate", .someNotDelivered), (.superseded, nil, "duplicate", .delivered),
            (.verified, .blockedByFront, "duplicate", .someNotDelivered), (.prepared, nil, "unchanged", .workRemains),
        ]
    )
    func duplicate(state: CardState, reason: ReasonCode?, key: String, status: CommandStatus) throws {
        let tracker = try self.tracker(1)
        tracker.observe(.input(index: 0, .duplicate(try self.card("a", state, reason: reason), wasRead: false)))
        #expect(tracker.counts()[key] == 1)
        #expect(tracker.counts().total == 1)
        #expect(tracker.exitStatus(stopped: false) == status)
        #expect(tracker.reports()[0].duplicateOf == CardID(rawValue: "a"))
    }

    @Test("A card from an earlier run that this run moves is counted where it went")
    func duplicateThatMoves() throws {
        let tracker = try self.tracker(1)
        tracker.observe(.input(index: 0, .duplicate(try self.card("a", .prepared), wasRead: false)))
        tracker.observe(.cardChanged(try self.card("a", .delivered)))
        #expect(tracker.counts()["delivered"] == 1)
        #expect(tracker.counts()["duplicate"] == 0)
        #expect(tracker.exitStatus(stopped: false) == .delivered)
    }

    @Test("Two inputs that are one card count once as the card and once as duplicate, whatever came first")
    func twice() throws {
        for early in [true, false] {
            let tracker = try self.tracker(2)
            tracker.observe(.input(index: 0, .admitted(try self.card("a", .prepared))))
            if early { tracker.observe(.cardChanged(try self.card("a", .delivered))) }
            tracker.observe(.input(index: 1, .duplicate(try self.card("a", .prepared), wasRead: true)))
            if !early { tracker.observe(.cardChanged(try self.card("a", .delivered))) }
            #expect(tracker.counts()["delivered"] == 1)
            #expect(tracker.counts()["duplicate"] == 1)
            #expect(tracker.counts().total == 2)
        }
    }

    @Test("A changed reason to wait does not count as moving")
    func waiting() throws {
        let tracker = try self.tracker(1)
        tracker.observe(.cardWaits(try self.card("a", .verified, reason: .blockedByFront)))
        tracker.observe(.input(index: 0, .duplicate(try self.card("a", .verified), wasRead: false)))
        #expect(tracker.counts()["duplicate"] == 1)
    }

    @Test("Refused inputs count as rejected and make exit 1; ignored ones do not")
    func refusedAndIgnored() throws {
        let tracker = try self.tracker(2)
        tracker.observe(.input(index: 1, .ignored))
        #expect(tracker.exitStatus(stopped: false) == .workRemains, "an input was not reached")
        #expect(tracker.counts()["unchanged"] == 1)
        tracker.observe(.input(index: 0, .refused(.businessNumberMissing, message: "why")))
        #expect(tracker.exitStatus(stopped: false) == .someNotDelivered)
        #expect(tracker.counts()["rejected"] == 1)
        #expect(tracker.counts()["ignored"] == 1)
        let reports = tracker.reports()
        #expect(reports.map(\.state) == ["rejected", "ignored"])
        #expect(reports[0].reason == "business_no_missing" && reports[0].cardID == nil)
    }

    @Test("Ignored files alone are no failure")
    func ignoredAlone() throws {
        let tracker = try self.tracker(1)
        tracker.observe(.input(index: 0, .ignored))
        #expect(tracker.exitStatus(stopped: false) == .delivered)
    }

    @Test("A late view of a card does not undo a newer one")
    func lateView() throws {
        let tracker = try self.tracker(1)
        tracker.observe(.input(index: 0, .admitted(try self.card("a", .prepared))))
        tracker.observe(.cardChanged(try self.card("a", .delivered)))
        tracker.observe(.cardChanged(try self.card("a", .delivering)))
        #expect(tracker.counts()["delivered"] == 1)
        #expect(tracker.exitStatus(stopped: false) == .delivered)
    }

    @Test("Every input is told exactly once when its card ends, the others at the end")
    func toldOnce() throws {
        let told = Mutex<[String]>([])
        let tracker = try self.tracker(4) { report in told.withLock { $0.append("\(report.source) \(report.state)") } }
        tracker.observe(.cardChanged(try self.card("a", .prepared)))
        tracker.observe(.cardChanged(try self.card("a", .verified)))
        tracker.observe(.cardChanged(try self.card("a", .delivered)))
        tracker.observe(.input(index: 0, .admitted(try self.card("a", .prepared))))
        tracker.observe(.input(index: 1, .admitted(try self.card("b", .prepared))))
        tracker.observe(.input(index: 2, .duplicate(try self.card("b", .prepared), wasRead: true)))
        tracker.observe(.input(index: 3, .admitted(try self.card("c", .prepared))))
        tracker.observe(.cardChanged(try self.card("b", .rejected)))
        #expect(told.withLock { $0 } == ["photo-0 delivered", "photo-1 rejected", "photo-2 rejected"])
        #expect(tracker.unfinished().map(\.source) == ["photo-3"])
    }

    @Test("What an input finds in the store is older than an event of the same instant, unless the card has ended")
    func lookOfOneInstant() throws {
        let tracker = try self.tracker(2)
        tracker.observe(.cardChanged(try self.card("a", .verified, reason: .blockedByFront)))
        tracker.observe(.input(index: 0, .admitted(try self.card("a", .prepared))))
        tracker.observe(.cardChanged(try self.card("b", .verified)))
        tracker.observe(.input(index: 1, .duplicate(try self.card("b", .delivered), wasRead: true)))
        #expect(tracker.reports().map(\.state) == ["verified", "delivered"])
        #expect(tracker.reports()[0].reason == "blocked_by_front")
        #expect(tracker.unfinished().map(\.source) == ["photo-0"])
    }

    @Test("The JSON object has the keys of the contract, and every count key")
    func contract() throws {
        let tracker = try self.tracker(1)
        tracker.observe(.input(index: 0, .refused(.businessNumberMissing, message: "why")))
        let report = RunReport(runID: "run", counts: tracker.counts(), cards: tracker.reports())
        let text = JSONText.document(report)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(Set(object.keys) == ["run_id", "counts", "cards"])
        let counts = try #require(object["counts"] as? [String: Int])
        #expect(Set(counts.keys) == Set(CardState.allCases.map(\.rawValue) + ["duplicate", "unchanged", "ignored"]))
        let cards = try #require(object["cards"] as? [[String: Any]])
        #expect(
            Set(cards[0].keys) == [
                "card_id", "source", "business_no", "side", "state", "reason", "message", "duplicate_of",
            ]
        )
    }
}
