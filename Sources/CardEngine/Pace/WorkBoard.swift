import CardModel
import CardStore
import Synchronization

/// What the stages of one process are doing, and the bell that wakes them.
///
/// Ringing a stage marks it busy at once, so that nobody takes the pipeline for idle between a card's two stages.
final class WorkBoard: Sendable {
    enum Status: Hashable, Sendable {
        /// Something is under way or may be claimed.
        case busy
        /// Nothing is to be done before a time, if one is known.
        case idle(until: Timestamp?)
        /// Work waits, and the endpoint stopped the stage.
        case stopped
    }

    private struct State {
        var statuses = Dictionary(uniqueKeysWithValues: Stage.allCases.map { ($0, Status.busy) })
        var underWay: [Stage: Int] = [:]
        var rung: Set<Stage> = []
        /// Who waits for a stage to be rung; under `nil`, for a stage to say something new.
        var sleepers: [Stage?: [CheckedContinuation<Void, Never>]] = [:]
        var isIntakeOver = false
        var isEnding = false
        /// When something last changed its state, by the steady clock.
        var progressAt: Duration = .zero
        /// Since when each look has found work of a stage that is due, by the clock and by the steady clock.
        var dueSince: [Stage: (date: Timestamp, steady: Duration)] = [:]
        /// How many files stay in each watched folder.
        var staying: [String: Int] = [:]
        /// What is wrong with the tokens of the server.
        var tokens = TokenIssue()
    }

    private let state = Mutex(State())

    /// Tells a stage that there is news for it.
    func ring(_ stage: Stage) {
        self.wake(stage) { state in
            state.rung.insert(stage)
            state.statuses[stage] = .busy
        }
    }

    func begin(_ count: Int, of stage: Stage) { self.state.withLock { $0.underWay[stage, default: 0] += count } }

    /// A piece of work ended, which frees a place.
    func finish(_ stage: Stage) {
        self.state.withLock { $0.underWay[stage, default: 0] -= 1 }
        self.ring(stage)
    }

    var underWay: Int { self.state.withLock { $0.underWay.values.reduce(0, +) } }

    func underWay(_ stage: Stage) -> Int { self.state.withLock { $0.underWay[stage, default: 0] } }

    /// A stage says what it is doing; it stays busy if it was rung since it last listened.
    func set(_ status: Status, of stage: Stage) {
        let isNews = self.state.withLock { state in
            guard !state.rung.contains(stage) || status == .busy else { return false }
            state.statuses[stage] = status
            return true
        }
        if isNews { self.wake(nil) }
    }

    /// A stage begins to look: what rang before is heard.
    func listen(_ stage: Stage) { self.state.withLock { state in _ = state.rung.remove(stage) } }

    /// Waits until the stage is rung, or a duration has passed.
    func wait(_ stage: Stage, for duration: Duration, time: EngineTime) async {
        await withTaskGroup { group in
            group.addTask { await self.sleep(stage) { $0.rung.contains(stage) || $0.isEnding } }
            group.addTask { try? await time.sleep(duration) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Waits until ``wake(_:_:)`` is called for the stage, unless the condition holds already or the task is cancelled.
    private func sleep(_ stage: Stage?, unless condition: (State) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustGo = self.state.withLock { state in
                    // Asked under the lock: a cancellation before it was heard by no sleeper.
                    guard !condition(state), !Task.isCancelled else { return true }
                    state.sleepers[stage, default: []].append(continuation)
                    return false
                }
                if mustGo { continuation.resume() }
            }
        } onCancel: {
            self.wake(stage)
        }
    }

    /// Wakes who waits for a stage, after a change under the same lock.
    private func wake(_ stage: Stage?, _ change: (inout State) -> Void = { _ in }) {
        let sleepers = self.state.withLock { state in
            change(&state)
            return state.sleepers.removeValue(forKey: stage)
        }
        for sleeper in sleepers ?? [] { sleeper.resume() }
    }

    // MARK: The end

    func endIntake() { self.wake(nil) { $0.isIntakeOver = true } }

    /// Asks every stage to end once what it has under way is concluded.
    func end() {
        self.state.withLock { $0.isEnding = true }
        for stage in Stage.allCases + [nil] { self.wake(stage) }
    }

    /// Whether the stages are asked to end.
    var isEnding: Bool { self.state.withLock { $0.isEnding } }

    var stopped: [Stage] {
        self.state.withLock { state in state.statuses.filter { $0.value == .stopped }.map(\.key) }
    }

    /// Whether no card can reach delivery any more that is not there already.
    var nothingComes: Bool {
        self.state.withLock { state in
            state.isIntakeOver
                && [Stage.fetch, .prepare, .verify].allSatisfy { stage in
                    !state.rung.contains(stage) && state.statuses[stage] != .busy
                        && state.underWay[stage, default: 0] == 0
                }
        }
    }

    func noteProgress(at now: Duration) { self.state.withLock { $0.progressAt = now } }

    func note(staying count: Int, in folder: String) { self.state.withLock { $0.staying[folder] = count } }

    /// How many files stay in the watched folders.
    var staying: Int { self.state.withLock { $0.staying.values.reduce(0, +) } }

    func note(tokens: TokenIssue) { self.state.withLock { $0.tokens = tokens } }

    var tokens: TokenIssue { self.state.withLock(\.tokens) }

    /// Whether nothing has moved on for so long, and nothing is under way that may.
    func standsStill(for duration: Duration, time: EngineTime) -> Bool {
        let steady = time.steady()
        return self.state.withLock { Self.standsStill($0, for: duration, at: steady) }
    }

    private static func standsStill(_ state: State, for duration: Duration, at steady: Duration) -> Bool {
        // A call that takes long may still move its card on, and so may a stage that has not looked at its news yet.
        steady - state.progressAt >= duration && state.underWay.values.allSatisfy { $0 == 0 } && state.rung.isEmpty
            && !state.statuses.values.contains(.busy)
    }

    // MARK: Stages that do nothing although they have work that waits for nothing, whatever the cause

    /// A stage did something, or has nothing to do.
    func markMoved(_ stage: Stage) { self.state.withLock { $0.dueSince[stage] = nil } }

    func markDue(_ stage: Stage, time: EngineTime) {
        self.state.withLock { state in
            if state.dueSince[stage] == nil { state.dueSince[stage] = (time.now(), time.steady()) }
        }
    }

    /// The stage that has stood still for longest, and since when; `nil` if none has for ten minutes.
    func standstill(time: EngineTime) -> StageStandstill? {
        let end = time.steady() - Limits.standstill
        let longest = self.state.withLock { $0.dueSince.min { $0.value.steady < $1.value.steady } }
        return longest.flatMap { $1.steady <= end ? StageStandstill(stage: $0, since: $1.date) : nil }
    }

    // MARK: The end of a batch

    /// Waits until the stages are asked to end.
    func waitUntilEnding() async {
        while !self.isEnding { await self.sleep(nil) { $0.isEnding } }
    }

    /// Waits until no stage has anything to do before `patience` is over, until nothing has moved on for so long, or until the
    /// end is asked for.
    func waitUntilDone(patience: Duration, time: EngineTime) async {
        while true {
            let (now, steady) = (time.now(), time.steady())
            let isDone = { @Sendable in Self.isDone($0, patience: patience, now: now, steady: steady) }
            let (mayGo, progressAt) = self.state.withLock { (isDone($0), $0.progressAt) }
            guard !mayGo else { return }
            await withTaskGroup { group in
                group.addTask { await self.sleep(nil, unless: isDone) }
                // Once the patience is over, what is under way is looked at now and then.
                group.addTask { try? await time.sleep(max(progressAt + patience - steady, Limits.shortLook)) }
                await group.next()
                group.cancelAll()
            }
        }
    }

    private static func isDone(_ state: State, patience: Duration, now: Timestamp, steady: Duration) -> Bool {
        guard !state.isEnding else { return true }
        guard state.isIntakeOver else { return false }
        if Self.standsStill(state, for: patience, at: steady) { return true }
        guard state.rung.isEmpty else { return false }
        return state.statuses.values.allSatisfy { status in
            switch status {
            case .busy: false
            case .stopped: true
            case .idle(let until): until.map { $0 > now.advanced(by: patience) } ?? true
            }
        }
    }
}
