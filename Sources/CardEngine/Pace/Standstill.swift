import CardModel
import CardStore
import Synchronization

/// Notices a stage that does nothing although it has work that waits for nothing, whatever the cause.
final class Standstill: Sendable {
    /// Since when each look has found work that is due, by the clock and by the steady clock.
    private let since = Mutex<[Stage: (date: Timestamp, steady: Duration)]>([:])

    /// A stage did something, or has nothing to do.
    func end(_ stage: Stage) { self.since.withLock { $0[stage] = nil } }

    /// A stage has work that is due.
    func markDue(_ stage: Stage, time: EngineTime) {
        self.since.withLock { since in
            if since[stage] == nil { since[stage] = (time.now(), time.steady()) }
        }
    }

    /// The stage that has stood still for longest, and since when; `nil` if none has for ten minutes.
    func longest(time: EngineTime) -> StageStandstill? {
        let end = time.steady() - Limits.standstill
        return self.since.withLock { since in
            since.min { $0.value.steady < $1.value.steady }.flatMap { stage, start in
                start.steady <= end ? StageStandstill(stage: stage, since: start.date) : nil
            }
        }
    }
}
