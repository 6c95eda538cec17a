import IDCardCore
import IDCardPipeline
import Synchronization

/// A clock for an engine whose remote sides answer at once: it moves when the engine has nothing to do but wait.
///
/// That is when two sleep until the same time: the loop that has something due then, and the engine itself, which
/// begins to wait for the first due time of all only once nothing is under way. No time is guessed and none is spent.
final class PacingVirtualTime: Sendable {
    private struct Sleeper {
        var until: Timestamp
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)
        var lastSleeper: UInt64 = 0
        var sleepers: [UInt64: Sleeper] = [:]

        /// Moves on to the first time somebody waits for, if nothing else goes on; takes out those who waited for it.
        mutating func advance() -> [CheckedContinuation<Void, Never>] {
            let times = self.sleepers.values.map(\.until)
            guard Set(times).count < times.count, let first = times.min() else { return [] }
            self.now = max(self.now, first)
            let due = self.sleepers.filter { $0.value.until <= self.now }
            for key in due.keys { self.sleepers[key] = nil }
            return due.values.map(\.continuation)
        }
    }

    private let state = Mutex(State())

    /// The time now.
    var now: Timestamp { self.state.withLock { $0.now } }

    /// The clock as the engine sees it.
    var port: PipelineTime {
        PipelineTime(now: { self.now }, sleep: { try await self.wait(until: $0) })
    }

    /// Moves on by what something takes.
    func pass(_ duration: Duration) {
        let due = self.state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for key in due.keys { state.sleepers[key] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    private func wait(until: Timestamp) async throws {
        let key = self.state.withLock { state in
            state.lastSleeper += 1
            return state.lastSleeper
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let due = self.state.withLock { state -> [CheckedContinuation<Void, Never>] in
                    guard !Task.isCancelled, until > state.now else { return [continuation] }
                    state.sleepers[key] = Sleeper(until: until, continuation: continuation)
                    return state.advance()
                }
                for continuation in due { continuation.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.sleepers.removeValue(forKey: key) }?.continuation.resume()
        }
        try Task.checkCancellation()
    }
}
