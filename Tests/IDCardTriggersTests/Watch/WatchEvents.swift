import IDCardCore
import IDCardTriggers
import Synchronization

/// Keeps what a watch tells, and lets a test wait for it.
final class WatchEvents: Sendable {
    private struct State {
        var events: [WatchEvent] = []
        var waiter: (isMet: @Sendable ([WatchEvent]) -> Bool, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    /// Takes an event.
    func add(_ event: WatchEvent) {
        let waiter = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.events.append(event)
            guard let waiter = state.waiter, waiter.isMet(state.events) else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        waiter?.resume()
    }

    /// Everything so far.
    var all: [WatchEvent] { self.state.withLock { $0.events } }

    /// Waits until a condition holds; one waiter at a time. The time limit of the test ends what never comes.
    func wait(until isMet: @escaping @Sendable ([WatchEvent]) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = self.state.withLock { state in
                    if Task.isCancelled || isMet(state.events) { return true }
                    state.waiter = (isMet, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = self.state.withLock { state in
                defer { state.waiter = nil }
                return state.waiter?.continuation
            }
            waiter?.resume()
        }
    }

    /// Waits until so many files have been put somewhere.
    func wait(forPlaced count: Int) async {
        await self.wait { $0.count { if case .placed = $0 { true } else { false } } >= count }
    }

    /// Waits until a root has been looked through, now or before.
    func waitForFirstScan() async {
        await self.wait { $0.contains { if case .scanned = $0 { true } else { false } } }
    }

    /// Waits until roots have been looked through so many times from now on; only with scans that go on.
    func wait(forScans count: Int) async {
        let before = self.scans
        await self.wait { events in
            events.count { if case .scanned = $0 { true } else { false } } >= before + count
        }
    }

    private var scans: Int { self.all.count { if case .scanned = $0 { true } else { false } } }

    /// The problems and what was mended, as words.
    var problems: [String] {
        self.all.compactMap { event in
            switch event {
            case .problem(let root, let problem, _): "\(root) \(problem.rawValue)"
            case .mended(let root, let problem): "\(root) mended \(problem.rawValue)"
            default: nil
            }
        }
    }

    /// The refusals, as codes.
    var refusals: [String] {
        self.all.compactMap { if case .refused(_, let reason, _, _) = $0 { reason.rawValue } else { nil } }
    }

    /// What was put off, as codes.
    var putOff: [String] {
        self.all.compactMap { if case .putOff(_, let reason, _) = $0 { reason.rawValue } else { nil } }
    }

    /// Where files went.
    var places: [WatchEvent.Place] {
        self.all.compactMap { if case .placed(_, let place) = $0 { place } else { nil } }
    }
}
