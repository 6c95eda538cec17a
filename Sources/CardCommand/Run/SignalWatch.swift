import Glibc
import Synchronization
import UnixSignals

/// Turns the signals that end a process into an end in order.
struct SignalWatch: Sendable {
    let end: @Sendable () -> Void
    /// What SIGHUP asks for in place of the end, each time; it never ends the process then.
    var reload: (@Sendable () -> Void)?

    /// Runs work to its end; the first SIGINT, SIGTERM or SIGHUP asks for the end, a second one ends the process at once.
    ///
    /// - Returns: what the work came to, and the status of the signal that asked for its end, if one came in time.
    func watching<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> (value: Value, signal: CommandStatus?) {
        let numbers = self.heard
        let names: [Int32: UnixSignal] = [SIGINT: .sigint, SIGTERM: .sigterm, SIGHUP: .sighup]
        let signals = await UnixSignalsSequence(trapping: numbers.compactMap { names[$0] })
        // Noted before the end it asks for: the work may end before anybody else has spoken.
        let first = Mutex<CommandStatus?>(nil)
        let untilDone: @Sendable () async throws -> Value = {
            let value = try await work()
            // What is left to do is to print, to a reader who may have stopped reading.
            self.endAtOnce(numbers)
            return value
        }
        let value = try await running(untilDone, cancelling: true) {
            for await signal in signals {
                if signal == .sighup, let reload = self.reload {
                    reload()
                    continue
                }
                // A second signal ends the process at once: all that was acknowledged is durable.
                self.endAtOnce(numbers)
                first.withLock { $0 = signal == .sigint ? .interrupted : .terminated }
                self.end()
                break
            }
        }
        return (value, first.withLock { $0 })
    }

    /// The signals that count: one that was ignored at the start, as `nohup` has SIGHUP ignored, stays so.
    private var heard: [Int32] {
        [SIGINT, SIGTERM, SIGHUP].filter { number in
            if number == SIGHUP, self.reload != nil { return true }
            var action = sigaction()
            sigaction(number, nil, &action)
            let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            return handler != unsafeBitCast(SIG_IGN, to: Int.self)
        }
    }

    private func endAtOnce(_ numbers: [Int32]) {
        for number in numbers where self.reload == nil || number != SIGHUP { Glibc.signal(number, SIG_DFL) }
    }
}

/// Runs work and a companion until both have ended; an error of one ends the other.
///
/// - Parameter cancelling: whether the end of the work is that of the companion, too, which has none of its own.
func running<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value,
    cancelling: Bool = false,
    beside companion: @escaping @Sendable () async throws -> Void
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await companion()
            return nil
        }
        var value: Value?
        while let ended = try await group.next() {
            guard let ended else { continue }
            value = ended
            if cancelling { group.cancelAll() }
        }
        guard let value else { throw CancellationError() }
        return value
    }
}
