import CardModel
import CardStore
import Synchronization

/// The status of the stages of one process, and the signals that wake them.
///
/// A signal marks the stage as busy at once, so that the pipeline never seems idle between two stages of a card.
final class WorkBoard: Sendable {
    enum Status: Hashable, Sendable {
        /// Work is in progress or may be claimed.
        case busy
        /// Nothing is due before the given time; `nil` if nothing is known to become due.
        case idle(until: Timestamp?)
        /// Work waits, but the endpoint is stopped.
        case stopped
    }

    private struct State {
        var statuses = Dictionary(uniqueKeysWithValues: Stage.allCases.map { ($0, Status.busy) })
        var underWay: [Stage: Int] = [:]
        var signalled: Set<Stage> = []
        var isIntakeOver = false
        var isEnding = false
        /// When a card last made progress, by the steady clock.
        var progressAt: Duration = .zero
        /// Since when each heartbeat has found due work of an idle stage, by the clock and by the steady clock.
        var dueSince: [Stage: (date: Timestamp, steady: Duration)] = [:]
        /// How many files stay in each watched folder.
        var staying: [String: Int] = [:]
        var tokens = TokenIssue()
    }

    private let state = Mutex(State())
    private let signals = Dictionary(uniqueKeysWithValues: Stage.allCases.map { ($0, Signal()) })
    private let statusChange = Signal()
    private let ending = AsyncStream.makeStream(of: Void.self)

    /// Tells a stage that there may be work.
    func signal(_ stage: Stage) {
        self.state.withLock { state in
            state.signalled.insert(stage)
            state.statuses[stage] = .busy
        }
        self.signals[stage]?.send()
    }

    /// Registers jobs that a stage has begun.
    func begin(_ count: Int, of stage: Stage) { self.state.withLock { $0.underWay[stage, default: 0] += count } }

    /// Ends a job, and signals its stage, which has a free slot now.
    func finish(_ stage: Stage) {
        self.state.withLock { $0.underWay[stage, default: 0] -= 1 }
        self.signal(stage)
    }

    var underWay: Int { self.state.withLock { $0.underWay.values.reduce(0, +) } }

    func underWay(_ stage: Stage) -> Int { self.state.withLock { $0.underWay[stage, default: 0] } }

    /// Sets the status of a stage, unless the stage was signalled since its last ``listen(_:)``: then it stays busy.
    func set(_ status: Status, of stage: Stage) {
        let hasChanged = self.state.withLock { state in
            guard !state.signalled.contains(stage) || status == .busy else { return false }
            state.statuses[stage] = status
            return true
        }
        if hasChanged { self.statusChange.send() }
    }

    /// Clears the signal of a stage, which is about to look for work: later signals mean further work.
    func listen(_ stage: Stage) { self.state.withLock { state in _ = state.signalled.remove(stage) } }

    /// Waits until the stage is signalled, or a duration has passed.
    func wait(_ stage: Stage, for duration: Duration, time: EngineTime) async {
        await self.signals[stage]?.wait(for: duration, time: time) {
            self.state.withLock { $0.signalled.contains(stage) || $0.isEnding }
        }
    }

    // MARK: The end

    func endIntake() {
        self.state.withLock { $0.isIntakeOver = true }
        self.statusChange.send()
    }

    /// Asks every stage to end once its current jobs are concluded.
    func stop() {
        self.state.withLock { $0.isEnding = true }
        for signal in Array(self.signals.values) + [self.statusChange] { signal.send() }
        self.ending.continuation.finish()
    }

    /// Whether the stages are asked to end.
    var isEnding: Bool { self.state.withLock { $0.isEnding } }

    var stopped: [Stage] {
        self.state.withLock { state in state.statuses.filter { $0.value == .stopped }.map(\.key) }
    }

    /// Whether intake has ended and the stages before delivery are idle, so that no further card reaches delivery.
    var nothingComes: Bool {
        self.state.withLock { state in
            state.isIntakeOver
                && [Stage.fetch, .prepare, .verify].allSatisfy { stage in
                    !state.signalled.contains(stage) && state.statuses[stage] != .busy
                        && state.underWay[stage, default: 0] == 0
                }
        }
    }

    func markProgress(at now: Duration) { self.state.withLock { $0.progressAt = now } }

    func setStaying(_ count: Int, in folder: String) { self.state.withLock { $0.staying[folder] = count } }

    /// How many files stay in the watched folders.
    var staying: Int { self.state.withLock { $0.staying.values.reduce(0, +) } }

    func setTokens(_ tokens: TokenIssue) { self.state.withLock { $0.tokens = tokens } }

    var tokens: TokenIssue { self.state.withLock(\.tokens) }

    /// Whether there was no progress for a duration, and no work is running or waiting that may bring progress.
    func isStalled(for duration: Duration, time: EngineTime) -> Bool {
        let steady = time.steady()
        return self.state.withLock { Self.isStalled($0, for: duration, at: steady) }
    }

    private static func isStalled(_ state: State, for duration: Duration, at steady: Duration) -> Bool {
        // A long call may still change its card, and so may a stage that has not yet answered a signal.
        steady - state.progressAt >= duration && state.underWay.values.allSatisfy { $0 == 0 } && state.signalled.isEmpty
            && !state.statuses.values.contains(.busy)
    }

    // MARK: Stages that are idle although they have due work, whatever the cause

    /// Registers that a stage made progress, or has nothing to do.
    func markMoved(_ stage: Stage) { self.state.withLock { $0.dueSince[stage] = nil } }

    /// Registers that a stage has due work; keeps the time of the first such mark since the last progress.
    func markDue(_ stage: Stage, time: EngineTime) {
        self.state.withLock { state in
            if state.dueSince[stage] == nil { state.dueSince[stage] = (time.now(), time.steady()) }
        }
    }

    /// Returns the stage that has been idle longest despite due work, and since when; `nil` if none has for ten minutes.
    func standstill(time: EngineTime) -> StageStandstill? {
        let latest = time.steady() - Limits.standstill
        let longest = self.state.withLock { $0.dueSince.min { $0.value.steady < $1.value.steady } }
        return longest.flatMap { $1.steady <= latest ? StageStandstill(stage: $0, since: $1.date) : nil }
    }

    // MARK: The end of a batch

    func waitUntilEnding() async { for await _ in self.ending.stream {} }

    /// Waits until no stage has work due within `patience`, or there was no progress for `patience`, or the stages are asked to
    /// end.
    func waitUntilDone(patience: Duration, time: EngineTime) async {
        while true {
            let (now, steady) = (time.now(), time.steady())
            let (isDone, progressAt) = self.state.withLock { state in
                (Self.isDone(state, patience: patience, now: now, steady: steady), state.progressAt)
            }
            guard !isDone else { return }
            // No signal comes when the patience is over, so the loop then checks at short intervals.
            let pause = max(progressAt + patience - steady, Limits.lastCallsInterval)
            await self.statusChange.wait(for: pause, time: time)
        }
    }

    /// Whether a batch is over: see ``waitUntilDone(patience:time:)``.
    private static func isDone(_ state: State, patience: Duration, now: Timestamp, steady: Duration) -> Bool {
        guard !state.isEnding else { return true }
        guard state.isIntakeOver else { return false }
        if Self.isStalled(state, for: patience, at: steady) { return true }
        guard state.signalled.isEmpty else { return false }
        return state.statuses.values.allSatisfy { status in
            switch status {
            case .busy: false
            case .stopped: true
            case .idle(let until): until.map { $0 > now.advanced(by: patience) } ?? true
            }
        }
    }
}

/// Wakes the only task that waits for it; a signal that comes before the wait is not lost.
private struct Signal: Sendable {
    private let elements = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))

    func send() { self.elements.continuation.yield(false) }

    /// Waits for a signal after which the condition holds, or until a duration has passed.
    func wait(for duration: Duration, time: EngineTime, until isTrue: () -> Bool = { true }) async {
        await withTaskGroup { group in
            // Cancelling a task that waits in `next` would finish the stream, so the end of the time comes as an element, too.
            group.addTask { if (try? await time.sleep(duration)) != nil { self.elements.continuation.yield(true) } }
            for await isOver in self.elements.stream where isOver || isTrue() { break }
            group.cancelAll()
        }
    }
}
