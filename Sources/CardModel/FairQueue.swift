import Synchronization

/// A shared capacity with a queue of waiters, each with a time limit: the lowest rank first, then in order of arrival.
package final class FairQueue<Room: Sendable, Demand: Sendable>: Sendable {
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
    /// Takes the demanded capacity from the room, if the room has it; called under the lock.
    private let claim: @Sendable (inout Room, Demand) -> Bool

    private let rank: @Sendable (Room, Demand) -> Int

    /// - Parameters:
    ///   - rank: the rank of a waiter: for example what its owner already has, so that the owner with less goes first.
    ///   - claim: takes the demanded capacity from the room; `false`, without a change, if the room lacks it.
    package init(
        _ room: sending Room,
        rank: @escaping @Sendable (Room, Demand) -> Int = { _, _ in 0 },
        claim: @escaping @Sendable (inout Room, Demand) -> Bool
    ) {
        self.state = Mutex(State(room: room))
        self.rank = rank
        self.claim = claim
    }

    package var waiting: Int { self.state.withLock { $0.waiters.count } }

    /// Takes the demanded capacity if it is free now, without waiting.
    package func enter(_ demand: Demand) -> Bool { self.state.withLock { self.claim(&$0.room, demand) } }

    /// Takes the demanded capacity, and waits until it is free; `false` after the time limit, or if the task was cancelled.
    ///
    /// - Parameter sleep: returns after the time limit, or when its task is cancelled.
    package func enter(_ demand: Demand, until sleep: @escaping @Sendable () async -> Void) async -> Bool {
        let (grants, granted) = AsyncStream.makeStream(of: Never.self)
        let ticket: Int? = self.state.withLock { state in
            guard !self.claim(&state.room, demand) else { return nil }
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
        // Only a grant removes a waiter from the queue, so a missing one has its capacity, even past the time limit.
        return self.state.withLock { state in
            guard let index = state.waiters.firstIndex(where: { $0.ticket == ticket }) else { return true }
            state.waiters.remove(at: index)
            return false
        }
    }

    /// Takes capacity for the first waiter, by rank and arrival, whose demand fits; returns its index.
    private func grantNext(of state: inout State) -> Int? {
        let ranks = state.waiters.map { self.rank(state.room, $0.demand) }
        for index in state.waiters.indices.sorted(by: { (ranks[$0], $0) < (ranks[$1], $1) }) {
            if self.claim(&state.room, state.waiters[index].demand) { return index }
        }
        return nil
    }

    /// Gives capacity back, and grants it to waiters.
    package func leave(_ release: (inout Room) -> Void) {
        self.state.withLock { state in
            release(&state.room)
            // One waiter at a time: each grant changes the ranks.
            while let index = self.grantNext(of: &state) { state.waiters.remove(at: index).granted.finish() }
        }
    }
}
