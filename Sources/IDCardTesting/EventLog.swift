package import IDCardPipeline
import Synchronization

/// Keeps what the engine tells, and lets a test wait for it.
package final class EventLog: Sendable {
    private let stored = Mutex<[PipelineEvent]>([])
    private let continuation: AsyncStream<PipelineEvent>.Continuation
    private let stream: AsyncStream<PipelineEvent>

    /// Starts empty.
    package init() {
        // A test produces a few hundred events at most.
        (self.stream, self.continuation) = AsyncStream.makeStream(of: PipelineEvent.self, bufferingPolicy: .unbounded)
    }

    /// Takes an event.
    package func add(_ event: PipelineEvent) {
        self.stored.withLock { $0.append(event) }
        self.continuation.yield(event)
    }

    /// Everything so far.
    package var events: [PipelineEvent] { self.stored.withLock { $0 } }

    /// Waits for the first event that a condition holds for; one waiter at a time.
    package func first(where condition: (PipelineEvent) -> Bool) async -> PipelineEvent? {
        for await event in self.stream where condition(event) { return event }
        return nil
    }
}
