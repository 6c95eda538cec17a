import CardEngine
import CardModel
import Foundation
import Synchronization

/// Time that passes only when a test says so.
final class ManualTime: Sendable {
    private struct Sleeper {
        var wakesAt: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var elapsed: Duration = .zero
        var sleepers: [Int: Sleeper] = [:]
        var onlookers: [(time: Duration, continuation: CheckedContinuation<Void, Never>)] = []
        var count = 0
    }

    /// How many wait by the clock while a batch of the engine has nothing to do: four stages, the heartbeat, and
    /// whoever waits for the end or for room.
    static let sleepersOfIdleBatch = 6

    private let state = Mutex(State())
    private let start = Timestamp(Date())
    private let sleeps = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// What has passed since the beginning.
    var elapsed: Duration { self.state.withLock { $0.elapsed } }
    var now: Timestamp { self.start.advanced(by: self.elapsed) }

    var engineTime: EngineTime {
        EngineTime(now: { self.now }, steady: { self.elapsed }, sleep: { try await self.sleep($0) })
    }

    /// Runs work, and lets time pass to the next moment for which somebody waits whenever nothing else can happen.
    @discardableResult
    func passing<Value: Sendable>(
        whenAsleep sleepers: Int = sleepersOfIdleBatch,
        during work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in self.sleeps.stream { self.pass(whenAsleep: sleepers) }
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
    func reached(_ time: Duration) async {
        await withCheckedContinuation { continuation in
            let isOver = self.state.withLock { state in
                guard state.elapsed < time else { return true }
                state.onlookers.append((time, continuation))
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private func pass(whenAsleep sleepers: Int) {
        let (woken, onlookers) = self.state.withLock { state in
            guard state.sleepers.count >= sleepers,
                let next = state.sleepers.values.map(\.wakesAt).min()
            else { return ([Sleeper](), [CheckedContinuation<Void, Never>]()) }
            state.elapsed = max(state.elapsed, next)
            let due = state.sleepers.filter { $0.value.wakesAt <= next }
            for id in due.keys { state.sleepers[id] = nil }
            let reached = state.onlookers.filter { $0.time <= next }.map(\.continuation)
            state.onlookers.removeAll { $0.time <= next }
            return (Array(due.values), reached)
        }
        for sleeper in woken { sleeper.continuation.resume() }
        for onlooker in onlookers { onlooker.resume() }
    }

    private func sleep(_ duration: Duration) async throws {
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

/// Something that one task waits for and another makes happen, once.
final class Happening: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    func happen() { self.continuation.finish() }

    /// Waits until it has happened; throws `CancellationError` if the task is cancelled before.
    func wait() async throws {
        for await _ in self.stream {}
        try Task.checkCancellation()
    }
}
