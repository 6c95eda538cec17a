import IDCardCore
import IDCardPipeline
import Synchronization

/// A clock that stands still until a test moves it, and tells when somebody waits for a time.
final class ManualTime: Sendable {
    private struct Sleeper {
        var until: Timestamp
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct Watcher {
        var until: Timestamp
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)
        var lastSleeper: UInt64 = 0
        var sleepers: [UInt64: Sleeper] = [:]
        var watchers: [UInt64: Watcher] = [:]
    }

    private let state = Mutex(State())

    /// The time now.
    var now: Timestamp { self.state.withLock { $0.now } }

    /// The clock as the engine sees it.
    var port: PipelineTime {
        PipelineTime(now: { self.now }, sleep: { try await self.wait(until: $0) })
    }

    /// Moves on, and wakes those whose time has come.
    func advance(by duration: Duration) {
        let due = self.state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for key in due.keys { state.sleepers[key] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    /// Sets the clock back; those who sleep wake after as long as they meant to.
    func setBack(by duration: Duration) {
        self.state.withLock { state in
            state.now = state.now.advanced(by: .zero - duration)
            for key in state.sleepers.keys {
                if let until = state.sleepers[key]?.until {
                    state.sleepers[key]?.until = until.advanced(by: .zero - duration)
                }
            }
        }
    }

    /// Whether somebody sleeps until some time from now.
    func isSlept(for durations: ClosedRange<Duration>) -> Bool {
        self.state.withLock { state in
            let times = state.now.advanced(by: durations.lowerBound)...state.now.advanced(by: durations.upperBound)
            return state.sleepers.values.contains { times.contains($0.until) }
        }
    }

    /// Waits until somebody sleeps until so long from now, or the task is cancelled.
    func somebodySleeps(for duration: Duration) async {
        let key = self.nextKey()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = self.state.withLock { state in
                    let until = state.now.advanced(by: duration)
                    if Task.isCancelled || state.sleepers.values.contains(where: { $0.until == until }) { return true }
                    state.watchers[key] = Watcher(until: until, continuation: continuation)
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.watchers.removeValue(forKey: key) }?.continuation.resume()
        }
    }

    /// Moves on by a duration whenever somebody sleeps for it, for as long as a function runs.
    ///
    /// - Parameters:
    ///   - duration: How far it moves on.
    ///   - pause: After how many times it stands still until `interlude` has been done.
    ///   - interlude: What is done meanwhile.
    ///   - body: What it moves on for.
    func ticking<Value: Sendable>(
        by duration: Duration,
        pausingAfter pause: Int = 0,
        for interlude: @escaping @Sendable () async throws -> Void = {},
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body() }
            group.addTask {
                var ticks = 0
                while !Task.isCancelled {
                    await self.somebodySleeps(for: duration)
                    if Task.isCancelled { break }
                    if ticks == pause { try await interlude() }
                    self.advance(by: duration)
                    ticks += 1
                }
                return nil
            }
            while let result = try await group.next() {
                if let value = result { return value }
            }
            throw CancellationError()
        }
    }

    private func nextKey() -> UInt64 {
        self.state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
    }

    private func wait(until: Timestamp) async throws {
        let key = self.nextKey()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = self.state.withLock { state -> [CheckedContinuation<Void, Never>] in
                    guard !Task.isCancelled, until > state.now else { return [continuation] }
                    state.sleepers[key] = Sleeper(until: until, continuation: continuation)
                    let watchers = state.watchers.filter { $0.value.until == until }
                    for key in watchers.keys { state.watchers[key] = nil }
                    return watchers.values.map(\.continuation)
                }
                for continuation in ready { continuation.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.sleepers.removeValue(forKey: key) }?.continuation.resume()
        }
        try Task.checkCancellation()
    }
}
