import Synchronization

/// Room that is shared out, and those who wait for some of it, each for so long at most: the lowest rank first, and of one rank
/// the first come.
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
    /// Takes what is demanded if it is free; called under a lock.
    private let take: @Sendable (inout Room, Demand) -> Bool

    private let rank: @Sendable (Room, Demand) -> Int

    /// - Parameters:
    ///   - rank: who comes first; one who has less already, for example.
    ///   - take: takes what is demanded if it is free.
    package init(
        _ room: sending Room,
        rank: @escaping @Sendable (Room, Demand) -> Int = { _, _ in 0 },
        take: @escaping @Sendable (inout Room, Demand) -> Bool
    ) {
        self.state = Mutex(State(room: room))
        self.rank = rank
        self.take = take
    }

    package var waiting: Int { self.state.withLock { $0.waiters.count } }

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

    private func next(of state: inout State) -> Int? {
        let ranks = state.waiters.map { self.rank(state.room, $0.demand) }
        for place in state.waiters.indices.sorted(by: { (ranks[$0], $0) < (ranks[$1], $1) }) {
            if self.take(&state.room, state.waiters[place].demand) { return place }
        }
        return nil
    }

    /// Gives room back, which goes to those who wait.
    package func leave(_ giveBack: (inout Room) -> Void) {
        self.state.withLock { state in
            giveBack(&state.room)
            // The first whose demand fits; whoever got something ranks anew.
            while let next = self.next(of: &state) { state.waiters.remove(at: next).granted.finish() }
        }
    }
}
