import CardEngine
import CardModel
import Foundation
import Synchronization

/// Time that passes only when a test says so.
final class ManualTime: Sendable {
    private struct State {
        var elapsed = Duration.zero
        var sleepers: [Int: (wakesAt: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    var engineTime: EngineTime {
        EngineTime(
            now: { Timestamp(millisecondsSinceEpoch: 1_700_000_000_000) },
            steady: { self.state.withLock { $0.elapsed } },
            sleep: { try await self.sleep($0) }
        )
    }

    /// Lets time pass; whoever reckons with it anew is to be told by the test.
    func pass(_ duration: Duration) {
        let woken = self.state.withLock { state in
            state.elapsed += duration
            let due = state.sleepers.filter { $0.value.wakesAt <= state.elapsed }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for sleeper in woken { sleeper.resume() }
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
                    state.sleepers[id] = (state.elapsed + duration, continuation)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = self.state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
