import Synchronization

/// Room that is shared out, and those who wait for some of it: first come, first served, each for so long at most.
package final class WaitingLine<Room: Sendable, Demand: Sendable>: Sendable {
    private struct Waiter {
        let ticket: Int
        let demand: Demand
        let granted: AsyncStream<Never>.Continuation
    }

    private struct State {
        var room: Room
        var waiters: [Waiter] = []
        var tickets = 0
    }

    private let state: Mutex<State>
    /// Takes what is demanded if it is free; called under a lock.
    private let take: @Sendable (inout Room, Demand) -> Bool

    package init(_ room: sending Room, take: @escaping @Sendable (inout Room, Demand) -> Bool) {
        self.state = Mutex(State(room: room))
        self.take = take
    }

    /// What is taken at the moment.
    package func read<Value: Sendable>(_ body: (Room) -> Value) -> Value { self.state.withLock { body($0.room) } }

    /// Takes what is free now.
    package func enter(_ demand: Demand) -> Bool { self.state.withLock { self.take(&$0.room, demand) } }

    /// Takes what is demanded, and waits for it if it is not free; `false` if it did not become free in time, or the task was
    /// cancelled.
    ///
    /// - Parameter sleep: returns after the longest wait, early if it is cancelled.
    package func enter(_ demand: Demand, until sleep: @escaping @Sendable () async -> Void) async -> Bool {
        let (grants, granted) = AsyncStream.makeStream(of: Never.self)
        let ticket: Int? = self.state.withLock { state in
            guard !self.take(&state.room, demand) else { return nil }
            state.tickets += 1
            state.waiters.append(Waiter(ticket: state.tickets, demand: demand, granted: granted))
            return state.tickets
        }
        guard let ticket else { return true }
        await withTaskGroup { tasks in
            tasks.addTask { for await _ in grants {} }
            tasks.addTask { await sleep() }
            await tasks.next()
            tasks.cancelAll()
        }
        // Who does not stand in line any more has what was demanded.
        return self.state.withLock { state in
            guard let place = state.waiters.firstIndex(where: { $0.ticket == ticket }) else { return true }
            state.waiters.remove(at: place)
            return false
        }
    }

    /// Gives room back, which goes to those who wait.
    package func leave(_ giveBack: (inout Room) -> Void) {
        self.state.withLock { state in
            giveBack(&state.room)
            state.waiters.removeAll { waiter in
                guard self.take(&state.room, waiter.demand) else { return false }
                waiter.granted.finish()
                return true
            }
        }
    }
}
