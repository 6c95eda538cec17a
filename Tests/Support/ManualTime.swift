package import CardModel
import Foundation
import Synchronization

/// Time that passes only when a test says so.
package final class ManualTime: Sendable {
    private struct Sleeper {
        var wakesAt: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var elapsed: Duration = .zero
        var sleepers: [Int: Sleeper] = [:]
        var onlookers: [(time: Duration, continuation: CheckedContinuation<Void, Never>)] = []
        var count = 0
        /// Ends when what others have begun has ended.
        var settling: @Sendable () async -> Void = {}
    }

    /// How many wait by the clock while a batch of the engine has nothing to do: four stages, the heartbeat, erasing, the
    /// figures, the decisions, and whoever waits for the end or for room.
    package static let sleepersOfIdleBatch = 9

    private let state = Mutex(State())
    private let start: Timestamp
    private let sleeps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    package init(start: Timestamp = Timestamp(Date())) {
        self.start = start
    }

    /// What has passed since the beginning.
    package var elapsed: Duration { self.state.withLock { $0.elapsed } }
    package var now: Timestamp { self.start.advanced(by: self.elapsed) }

    /// Lets time pass; whoever must look at it again is told by the test.
    package func pass(_ duration: Duration) { self.pass { $0.elapsed + duration } }

    /// Runs work, and lets time pass to the next moment for which somebody waits whenever nothing else can happen.
    @discardableResult
    package func passing<Value: Sendable>(
        whenAsleep sleepers: Int = sleepersOfIdleBatch,
        during work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in self.sleeps.stream { await self.passOnceSettled(whenAsleep: sleepers) }
                return nil
            }
            defer { group.cancelAll() }
            while let ended = try await group.next() {
                if let value = ended { return value }
            }
            throw CancellationError()
        }
    }

    /// Waits for a moment without counting among those for whom time passes.
    package func reached(_ time: Duration) async {
        await withCheckedContinuation { continuation in
            let isOver = self.state.withLock { state in
                guard state.elapsed < time else { return true }
                state.onlookers.append((time, continuation))
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Lets no time pass while something else is at work: it would take the longer, the busier the machine is.
    package func settle(by settling: @escaping @Sendable () async -> Void) {
        self.state.withLock { $0.settling = settling }
    }

    private func passOnceSettled(whenAsleep sleepers: Int) async {
        let (before, settling) = self.state.withLock { ($0.sleepers.count >= sleepers ? $0.count : nil, $0.settling) }
        guard let before else { return }
        await settling()
        // Whoever was woken meanwhile sleeps again, and that is told.
        self.pass { state in
            state.count == before && state.sleepers.count >= sleepers ? state.sleepers.values.map(\.wakesAt).min() : nil
        }
    }

    private func pass(to moment: (State) -> Duration?) {
        let (woken, onlookers) = self.state.withLock { state in
            guard let time = moment(state) else { return ([Sleeper](), [CheckedContinuation<Void, Never>]()) }
            state.elapsed = max(state.elapsed, time)
            let due = state.sleepers.filter { $0.value.wakesAt <= time }
            for id in due.keys { state.sleepers[id] = nil }
            let reached = state.onlookers.filter { $0.time <= time }.map(\.continuation)
            state.onlookers.removeAll { $0.time <= time }
            return (Array(due.values), reached)
        }
        for sleeper in woken { sleeper.continuation.resume() }
        for onlooker in onlookers { onlooker.resume() }
    }

    /// Waits until so much time has passed; throws `CancellationError` if the task is cancelled.
    package func sleep(_ duration: Duration) async throws {
        let id = self.state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = self.state.withLock { state in
                    // Asked under the lock: a cancellation before found nobody to wake.
                    guard !Task.isCancelled else { return true }
                    state.sleepers[id] = Sleeper(wakesAt: state.elapsed + duration, continuation: continuation)
                    return false
                }
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                self.sleeps.continuation.yield()
            }
        } onCancel: {
            let sleeper = self.state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
