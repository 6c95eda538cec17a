import IDCardCore
import Synchronization

/// The business numbers whose cards changed since they were last decided on, and those with a wait that ends by itself.
final class PendingApplications: Sendable {
    private struct State {
        var changed: [BusinessNumber] = []
        var isChanged: Set<BusinessNumber> = []
        var waits: [BusinessNumber: Timestamp] = [:]
        var expected: [BusinessNumber: Int] = [:]
        var refused: Set<BusinessNumber> = []
    }

    private let state = Mutex(State())

    /// Notes that something changed under a business number.
    func touch(_ number: BusinessNumber) {
        self.state.withLock { state in
            if state.isChanged.insert(number).inserted { state.changed.append(number) }
        }
    }

    /// Notes when a business number is to be decided on again, or that it need not be.
    func wait(_ number: BusinessNumber, until time: Timestamp?) {
        self.state.withLock { $0.waits[number] = time }
    }

    /// Takes out up to `limit` business numbers that are to be decided on now.
    func take(_ limit: Int, now: Timestamp) -> [BusinessNumber] {
        self.state.withLock { state in
            for (number, time) in state.waits where time <= now {
                state.waits[number] = nil
                if state.isChanged.insert(number).inserted { state.changed.append(number) }
            }
            let taken = Array(state.changed.prefix(limit))
            state.changed.removeFirst(taken.count)
            state.isChanged.subtract(taken)
            return taken
        }
    }

    /// When there is something to decide on; `nil` if there is nothing.
    func nextDue(now: Timestamp) -> Timestamp? {
        self.state.withLock { $0.changed.isEmpty ? $0.waits.values.min() : now }
    }

    // MARK: Inputs on their way

    /// Notes that an input of a business number is known but not in the store yet.
    func expect(_ number: BusinessNumber) {
        self.state.withLock { $0.expected[number, default: 0] += 1 }
    }

    /// Notes that an expected input is dealt with.
    func arrived(_ number: BusinessNumber) {
        self.state.withLock { state in
            let rest = (state.expected[number] ?? 1) - 1
            state.expected[number] = rest > 0 ? rest : nil
        }
    }

    /// How many inputs of a business number are on their way.
    func expectedInputs(of number: BusinessNumber) -> Int {
        self.state.withLock { $0.expected[number] ?? 0 }
    }

    /// Notes that an input of a business number which may be its front was refused without a card.
    func refused(_ number: BusinessNumber) {
        self.state.withLock { _ = $0.refused.insert(number) }
    }

    /// Whether an input of a business number which may be its front was refused without a card.
    func hasRefusedInput(of number: BusinessNumber) -> Bool {
        self.state.withLock { $0.refused.contains(number) }
    }
}
