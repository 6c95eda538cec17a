import Glibc
import IDCardPipeline
import Synchronization

@testable import IDCardSandbox

extension SandboxWriter {
    /// How many changes wait.
    private var waiting: Int { self.state.withLock { $0.queue.count } }

    /// Brings changes to the door one after the other while it is kept closed, then lets them pass.
    ///
    /// - Returns: what became of each, in their order.
    func gathering<Value: Sendable>(
        _ changes: [@Sendable () async throws -> Value]
    ) async -> [Result<Value, any Error>] {
        let door = Door()
        return await withTaskGroup(of: (Int, Result<Value, any Error>)?.self) { group in
            group.addTask {
                // Fallback of a closed sandbox: the changes say so.
                try? await self.withConnection { _ in door.waitClosed(until: { self.waiting >= changes.count }) }
                return nil
            }
            while !door.isClosed { await Task.yield() }
            for (index, change) in changes.enumerated() {
                group.addTask {
                    do { return (index, .success(try await change())) } catch { return (index, .failure(error)) }
                }
                while self.waiting <= index, door.isClosed { await Task.yield() }
            }
            var results: [Int: Result<Value, any Error>] = [:]
            for await case let (index, result)? in group { results[index] = result }
            return changes.indices.compactMap { results[$0] }
        }
    }

    /// Occupies the writing connection until enough has gathered before it.
    private final class Door: Sendable {
        private let closed = Atomic(false)

        var isClosed: Bool { self.closed.load(ordering: .acquiring) }

        func waitClosed(until condition: () -> Bool) {
            self.closed.store(true, ordering: .releasing)
            while !condition() { sched_yield() }
            self.closed.store(false, ordering: .releasing)
        }
    }
}
