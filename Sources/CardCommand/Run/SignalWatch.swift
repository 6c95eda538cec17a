import Glibc
import Synchronization
import UnixSignals

/// Turns the signals that end a process into an end in order.
struct SignalWatch: Sendable {
    /// Asks for the end.
    let end: @Sendable () -> Void
    /// What SIGHUP asks for in place of the end, each time; it never ends the process then.
    var reload: (@Sendable () -> Void)?

    /// Runs work to its end; the first SIGINT, SIGTERM or SIGHUP asks for the end, a second one ends the process at once.
    ///
    /// - Returns: what the work came to, and the status of the signal that asked for its end, if one came in time.
    func watching<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> (value: Value, signal: CommandStatus?) {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        let first = FirstSignal()
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask {
                for await signal in signals {
                    if signal == .sighup, let reload = self.reload {
                        reload()
                        continue
                    }
                    // A second signal ends the process at once: all that was acknowledged is durable.
                    self.endAtOnceFromNowOn()
                    first.note(signal == .sigint ? .interrupted : .terminated)
                    self.end()
                    break
                }
                return nil
            }
            while let ended = try await group.next() {
                guard let value = ended else { continue }
                // What is left to do is to print, to a reader who may have stopped reading.
                self.endAtOnceFromNowOn()
                return (value, first.status)
            }
            throw CancellationError()
        }
    }

    private func endAtOnceFromNowOn() {
        let numbers = self.reload == nil ? [SIGINT, SIGTERM, SIGHUP] : [SIGINT, SIGTERM]
        for number in numbers { Glibc.signal(number, SIG_DFL) }
    }

    /// The signal that came first, noted before the end it asks for: the work may end before anybody else has spoken.
    private final class FirstSignal: Sendable {
        private let stored = Mutex<CommandStatus?>(nil)
        var status: CommandStatus? { self.stored.withLock { $0 } }
        func note(_ status: CommandStatus) { self.stored.withLock { $0 = status } }
    }
}
