import CImaging
import Glibc

/// A child process that reads one nameless file and writes another; the calling thread waits for it.
///
/// Written without swift-subprocess: it blocks a thread of the pool anyway, it must be killed exactly at its timeout,
/// and it may inherit only four descriptors.
struct ConfinedChild: Sendable {
    enum Outcome: Hashable, Sendable {
        /// Exited by itself, with a status.
        case exited(Int32)
        case killed(signal: Int32)
        /// Killed by this process after the timeout.
        case timedOut
        case notStarted

        /// Whether a fault or a limit of its own killed the child; any process may have sent the other signals.
        var isOwnFault: Bool {
            guard case .killed(let signal) = self else { return false }
            return Self.signalsOfFaults.contains(signal)
        }

        // Swift traps by SIGILL or SIGTRAP, depending on the processor.
        private static let signalsOfFaults: Set<Int32> = [
            SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE, SIGSYS, SIGXCPU, SIGXFSZ,
        ]
    }

    /// The file that is executed, and its arguments; others on the machine can read them.
    let command: [String]
    /// The maximum duration; time while the machine is suspended does not count.
    let timeout: Duration

    func run(input: AnonymousFile, output: AnonymousFile) -> Outcome {
        // The child holds the write end: when the child is gone, for whatever reason, poll(2) reports the read end.
        var (end, lifeline): (Int32, Int32) = (-1, -1)
        guard idci_private_pipe(&end, &lifeline) == 0 else { return .notStarted }
        defer { close(end) }
        let started = self.start(input: input.descriptor, output: output.descriptor, lifeline: lifeline)
        close(lifeline)
        guard let process = started else { return .notStarted }
        let isOver = self.waitForEnd(of: end)
        if !isOver { kill(process, SIGKILL) }
        guard let status = Self.reap(process) else { return .notStarted }
        guard isOver else { return .timedOut }
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal: signal)
    }

    private func start(input: Int32, output: Int32, lifeline: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // Last, because any of the other descriptors may be 3 until it is duplicated; 0 to 2 are always open.
        posix_spawn_file_actions_adddup2(&actions, lifeline, 3)
        guard idci_close_above(&actions, 3) == 0 else { return nil }
        // A backtrace of the decoder would quote image data, and takes seconds.
        let environment = ["SWIFT_BACKTRACE=enable=no"]
        var process: pid_t = 0
        let result = Self.withCStrings(["idcard-pipeline"] + self.command.dropFirst()) { words in
            Self.withCStrings(environment) { variables in
                posix_spawn(&process, self.command[0], &actions, nil, words, variables)
            }
        }
        return result == 0 ? process : nil
    }

    /// Waits until the child is gone; `false` after the timeout.
    private func waitForEnd(of lifeline: Int32) -> Bool {
        // The clock of poll(2): while the machine is suspended, the child uses up no time.
        let clock = SuspendingClock()
        let deadline = clock.now.advanced(by: self.timeout)
        while true {
            let (seconds, attoseconds) = clock.now.duration(to: deadline).components
            let remaining = max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
            var watched = pollfd(fd: lifeline, events: Int16(POLLIN), revents: 0)
            let count = poll(&watched, 1, Int32(min(remaining, 3_600_000)))
            if count > 0 { return true }
            if count == 0, remaining == 0 { return false }
            if count < 0, errno != EINTR { return false }
        }
    }

    private static func reap(_ process: pid_t) -> Int32? {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return nil }
        }
        return status
    }

    private static func withCStrings<Value>(
        _ texts: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
    ) -> Value {
        let pointers = texts.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }
}
