import Synchronization

/// Lets one task wait until somebody says that there is something to do; a call that comes too early is kept.
final class WakeUp: Sendable {
    private struct State {
        var isCalled = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Wakes the task that waits, or the one that comes next.
    func call() {
        let waiter = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state.waiter = nil }
            state.isCalled = state.waiter == nil
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for a call, a time, or the end of the task; one task at a time.
    func wait(until due: Duration?, clock: WatchClock) async {
        guard let due else { return await self.wait() }
        guard due > clock.now() else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait() }
            // Fallback of a cancelled sleep: the group is cancelled, so the wait has ended anyway.
            group.addTask { try? await clock.sleep(due) }
            await group.next()
            group.cancelAll()
        }
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = self.state.withLock { state in
                    if state.isCalled || Task.isCancelled {
                        state.isCalled = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }
    }
}
