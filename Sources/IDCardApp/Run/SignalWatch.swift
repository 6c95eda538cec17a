import Glibc
import IDCardPipeline
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
        return try await withThrowingTaskGroup(of: Event<Value>.self) { group in
            defer { group.cancelAll() }
            group.addTask { .ended(try await work()) }
            group.addTask { .signal(await self.first(of: signals)) }
            var signal: EndingSignal?
            while let event = try await group.next() {
                switch event {
                case .ended(let value): return Watched(value: value, signal: signal)
                case .signal(let first): signal = first
                }
            }
            throw CancellationError()
        }
    }

    private enum Event<Value: Sendable>: Sendable {
        case ended(Value)
        case signal(EndingSignal?)
    }

    private func first(of signals: UnixSignalsSequence) async -> EndingSignal? {
        for await signal in signals {
            // A second signal ends the process at once: all that was acknowledged is durable.
            Glibc.signal(SIGINT, SIG_DFL)
            Glibc.signal(SIGTERM, SIG_DFL)
            self.shutdown.request()
            await self.onSignal()
            return signal == .sigint ? .interrupt : .terminate
        }
        return nil
    }
}
