import CardEngine
import Synchronization
import TestSupport

extension ManualTime {
    var engineTime: EngineTime {
        EngineTime(now: { self.now }, steady: { self.elapsed }, sleep: { try await self.sleep($0) })
    }
}

final class Counter: Sendable {
    private let count = Atomic(0)

    /// The number of this call: 1, 2 …
    func next() -> Int { self.count.add(1, ordering: .relaxed).newValue }
}

/// Something that one task waits for and another makes happen, once.
final class Happening: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    func happen() { self.continuation.finish() }

    /// Waits until it has happened; throws `CancellationError` if the task is cancelled before.
    func wait() async throws {
        for await _ in self.stream {}
        try Task.checkCancellation()
    }
}
