import IDCardCore
import IDCardPipeline
import Synchronization

/// The double of the sandbox: the same promises without a disk.
///
/// Several handles may share one memory, each a different owner, as several processes share a sandbox.
package final class InMemoryStore: CardStore {
    /// What the handles of one store share.
    final class Memory: Sendable {
        private let state = Mutex(InMemoryState())

        /// Makes a change whole or, if it throws, not at all.
        func change<Value: Sendable>(_ body: (inout InMemoryState) throws -> Value) rethrows -> Value {
            try self.state.withLock { state in
                var changed = state
                let value = try body(&changed)
                state = changed
                return value
            }
        }

        func look<Value: Sendable>(_ body: (InMemoryState) throws -> Value) rethrows -> Value {
            try self.state.withLock { try body($0) }
        }
    }

    let memory: Memory
    let owner: Int

    /// Makes an empty store.
    package convenience init() {
        self.init(memory: Memory())
    }

    /// Makes another handle on the memory of a store, with an owner of its own.
    package convenience init(sharing other: InMemoryStore) {
        self.init(memory: other.memory)
    }

    private init(memory: Memory) {
        self.memory = memory
        self.owner = memory.change { state in
            state.lastOwner += 1
            state.livingOwners.insert(state.lastOwner)
            return state.lastOwner
        }
    }

    package func gatherCommits(while mayWait: @escaping @Sendable () -> Bool) {}

    /// How many cards all snapshots together have held.
    package var cardsLookedAt: Int { self.memory.look(\.cardsLookedAt) }

    /// Lets the owner of this handle die with its leases, as `kill -9` does to a process.
    package func die() {
        self.memory.change { _ = $0.livingOwners.remove(self.owner) }
    }
}
