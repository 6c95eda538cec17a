import Glibc
import IDCardPipeline
import Synchronization
import UnixSignals

/// Turns the signals that end a process into a shutdown in order.
struct SignalWatch: Sendable {
    /// What work came to, and the signal that asked for its end, if one came in time.
    struct Watched<Value: Sendable>: Sendable {
        var value: Value
        var signal: EndingSignal?
    }

    let shutdown: Shutdown
    /// Asks others for the end, too, once the shutdown has been requested.
    var onSignal: @Sendable () async -> Void = {}

    /// Runs work to its end; the first SIGINT or SIGTERM requests the shutdown, a second one ends the process at once.
    func watching<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Watched<Value> {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let first = FirstSignal()
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask {
                await self.wait(for: first, of: signals)
                return nil
            }
            while let ended = try await group.next() {
                if let value = ended { return Watched(value: value, signal: first.signal) }
            }
            throw CancellationError()
        }
    }

    /// The signal that came first, noted before the end it asks for: the work may end before anybody else has spoken.
    private final class FirstSignal: Sendable {
        private let stored = Mutex<EndingSignal?>(nil)
        var signal: EndingSignal? { self.stored.withLock { $0 } }
        func note(_ signal: EndingSignal) { self.stored.withLock { $0 = signal } }
    }

    private func wait(for first: FirstSignal, of signals: UnixSignalsSequence) async {
        for await signal in signals {
            // A second signal ends the process at once: all that was acknowledged is durable.
            Glibc.signal(SIGINT, SIG_DFL)
            Glibc.signal(SIGTERM, SIG_DFL)
            first.note(signal == .sigint ? .interrupt : .terminate)
            self.shutdown.request()
            await self.onSignal()
            return
        }
    }
}
