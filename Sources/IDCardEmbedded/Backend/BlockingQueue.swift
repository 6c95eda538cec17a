import Dispatch

/// Runs calls that wait for the disk, one after the other, away from the threads that serve connections.
struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    /// Makes a queue.
    ///
    /// - Parameter label: Its name in a debugger.
    init(label: String) {
        self.queue = DispatchQueue(label: label)
    }

    /// Runs a call and gives its result.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.queue.async { continuation.resume(with: Result(catching: work)) }
        }
    }
}
