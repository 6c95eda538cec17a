import CardEngine
import TestSupport

extension ManualTime {
    var engineTime: EngineTime {
        EngineTime(now: { self.now }, steady: { self.elapsed }, sleep: { try await self.sleep($0) })
    }
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
