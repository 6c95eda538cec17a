import Glibc
import Synchronization
import UnixSignals

/// Turns the signals that terminate a process into an orderly stop.
struct SignalWatch: Sendable {
    let stop: @Sendable () -> Void
    /// Called at each SIGHUP, which then does not stop the process.
    var reload: (@Sendable () -> Void)?

    /// Runs work; the first SIGINT, SIGTERM or SIGHUP asks it to stop, a second one kills the process.
    ///
    /// - Returns: the value of the work, and the status of the signal that asked it to stop, if one came in time.
    func watching<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> (value: Value, signal: CommandStatus?) {
        let numbers = self.handledSignals
        let names: [Int32: UnixSignal] = [SIGINT: .sigint, SIGTERM: .sigterm, SIGHUP: .sighup]
        let signals = await UnixSignalsSequence(trapping: numbers.compactMap { names[$0] })
        // Set before the stop: the work may finish at once.
        let first = Mutex<CommandStatus?>(nil)
        let untilDone: @Sendable () async throws -> Value = {
            let value = try await work()
            // Only printing is left, and its reader may have stopped reading: a signal now kills the process.
            self.restoreDefaultHandlers(numbers)
            return value
        }
        let value = try await running(untilDone, cancelling: true) {
            for await signal in signals {
                if signal == .sighup, let reload = self.reload {
                    reload()
                    continue
                }
                // A second signal kills the process: all that was acknowledged is durable.
                self.restoreDefaultHandlers(numbers)
                first.withLock { $0 = signal == .sigint ? .interrupted : .terminated }
                self.stop()
                break
            }
        }
        return (value, first.withLock { $0 })
    }

    /// The signals to handle: one that was ignored at the start, as `nohup` ignores SIGHUP, stays ignored.
    private var handledSignals: [Int32] {
        [SIGINT, SIGTERM, SIGHUP].filter { number in
            if number == SIGHUP, self.reload != nil { return true }
            var action = sigaction()
            sigaction(number, nil, &action)
            let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            return handler != unsafeBitCast(SIG_IGN, to: Int.self)
        }
    }

    private func restoreDefaultHandlers(_ numbers: [Int32]) {
        for number in numbers where self.reload == nil || number != SIGHUP { Glibc.signal(number, SIG_DFL) }
    }
}

/// Runs work and a companion until both have finished; an error of one cancels the other.
///
/// - Parameter cancelling: whether to cancel the companion when the work has finished.
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
