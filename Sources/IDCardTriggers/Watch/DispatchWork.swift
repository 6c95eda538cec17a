import Dispatch
import IDCardPipeline

/// Runs what blocks on the file system on threads of its own, away from those that decode images.
///
/// The queue has no bound: whoever uses it has a bounded number of pieces under way.
package struct DispatchWork: BlockingWork {
    private let queue = DispatchQueue(label: "idcard.watch", attributes: .concurrent)

    /// Makes a queue that starts a thread when there is work.
    package init() {}

    package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.queue.async { continuation.resume(with: Result(catching: work)) }
        }
    }
}
