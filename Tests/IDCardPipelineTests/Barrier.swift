/// A place where calls wait until a test lets them go on.
final class Barrier: Sendable {
    private let arrivals = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(16))
    private let release = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Tells that a call has come, and waits; one call at a time.
    func pass() async throws {
        self.arrivals.continuation.yield()
        for await _ in self.release.stream {}
        try Task.checkCancellation()
    }

    /// Waits for the next call.
    func somebodyWaits() async { for await _ in self.arrivals.stream { break } }

    /// Lets go on what waits, and all that comes.
    func open() { self.release.continuation.finish() }
}
