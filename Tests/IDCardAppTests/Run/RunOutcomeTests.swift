import Foundation
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardApp

@Suite("How a run is told at its end")
struct RunOutcomeTests {
    private func tracker(_ count: Int) throws -> RunTracker {
        let metadata = CardMetadata(businessNumber: try #require(BusinessNumber("B-1")))
        let items = (0..<count).map {
            IntakeItem(source: "photo-\($0)", path: "/photo-\($0)", disposition: .take(metadata))
        }
        return RunTracker(items: IntakeList(items)) { _ in }
    }

    private func card(_ state: CardState) throws -> Card {
        let time = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)
        return Card(
            id: CardID(rawValue: "a"),
            state: state,
            metadata: CardMetadata(businessNumber: try #require(BusinessNumber("B-1"))),
            intakeOrder: 1,
            createdAt: time,
            changedAt: time
        )
    }

    private func summary(_ tracker: RunTracker, _ ending: BatchEnding) -> RunSummary {
        let outcome = RunOutcome(
            runID: "run",
            tracker: tracker,
            end: RunPipeline.End(ending: ending, pauses: [:]),
            signal: nil,
            documents: nil
        )
        return RunSummary(
            counts: tracker.counts(),
            cards: tracker.reports(),
            pauses: [:],
            isLeftToOthers: ending == .leftToOthers,
            status: outcome.status,
            documents: nil
        )
    }

    @Test("Work that stays with another process ends a run with 75, and is said to be there")
    func leftToOthers() throws {
        let named = try self.tracker(1)
        named.observe(.input(index: 0, .duplicate(try self.card(.prepared), wasRead: false)))
        for tracker in [named, try self.tracker(0)] {
            let summary = self.summary(tracker, .leftToOthers)
            #expect(summary.status == .workRemains)
            #expect(
                summary.adviceLines == [
                    "Work remains with another process that uses this sandbox: it goes on there; "
                        + "run the same command again to see how it ended."
                ]
            )
        }
        let exhausted = self.summary(named, .patienceExhausted)
        #expect(exhausted.status == .workRemains)
        #expect(
            exhausted.adviceLines == ["Work remains: everything is kept in the sandbox, run the same command again."]
        )
    }

    @Test("What another process has ended meanwhile does not remain")
    func endedElsewhere() throws {
        let tracker = try self.tracker(1)
        tracker.observe(.input(index: 0, .duplicate(try self.card(.prepared), wasRead: false)))
        tracker.observe(.cardChanged(try self.card(.delivered)))
        #expect(self.summary(tracker, .leftToOthers).status == .delivered)
    }

    @Test("Inputs never taken in for want of room are counted as unchanged, beside those that ended")
    func neverTakenIn() throws {
        let tracker = try self.tracker(4)
        tracker.observe(.input(index: 0, .admitted(try self.card(.prepared))))
        tracker.observe(.cardChanged(try self.card(.delivered)))
        for index in 1...2 { tracker.observe(.input(index: index, .refused(.diskSpaceLow, message: "no room"))) }
        tracker.observe(.spaceChanged(.low(message: "no room")))
        let summary = self.summary(tracker, .complete)
        // The last one was not even reached.
        #expect(summary.counts["unchanged"] == 3)
        #expect(summary.counts["rejected"] == 0)
        #expect(summary.countsLine == "4 inputs: 1 delivered, 3 unchanged")
        #expect(summary.status == .sandboxError)
        #expect(
            summary.adviceLines == [
                "No room in the sandbox: nothing is lost, free some space and run the same command again."
            ]
        )
        let report = RunReport(runID: "run", counts: tracker.counts(), cards: tracker.reports())
        let object = try JSONSerialization.jsonObject(with: Data(JSONText.document(report).utf8)) as? [String: Any]
        #expect((object?["counts"] as? [String: Int])?["unchanged"] == 3)
    }
}
