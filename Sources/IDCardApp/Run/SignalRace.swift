import Glibc
import UnixSignals

/// How a race between a piece of work and the signals that end a process came out.
enum SignalRace<Value: Sendable>: Sendable {
    /// The work ended.
    case finished(Value)
    /// A signal came first; the work was cancelled and has wound up.
    case signal(EndingSignal)

    /// Runs work until it ends or SIGINT or SIGTERM comes; a second signal ends the process at once.
    static func run(_ work: @escaping @Sendable () async throws -> Value) async throws -> SignalRace<Value> {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        return try await withThrowingTaskGroup(of: SignalRace<Value>?.self) { group in
            group.addTask { .finished(try await work()) }
            group.addTask {
                for await signal in signals { return .signal(signal == .sigint ? .interrupt : .terminate) }
                return nil
            }
            guard let first = try await group.next(), let result = first else { throw CancellationError() }
            if case .signal = result {
                return try await self.windUp(&group, after: result)
            }
            group.cancelAll()
            return result
        }
    }

    private static func windUp(
        _ group: inout ThrowingTaskGroup<SignalRace<Value>?, any Error>,
        after result: SignalRace<Value>
    ) async throws -> SignalRace<Value> {
        group.cancelAll()
        // A second signal ends the process at once: all that was acknowledged is durable.
        Glibc.signal(SIGINT, SIG_DFL)
        Glibc.signal(SIGTERM, SIG_DFL)
        do {
            // The work may have ended just then: what it says is the better news.
            if let last = try await group.next(), let last { return last }
        } catch is CancellationError {
            // That is how cancelled work ends.
        }
        return result
    }
}
