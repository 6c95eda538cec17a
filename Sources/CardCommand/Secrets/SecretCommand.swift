import CardModel
import Subprocess
import SystemPackage

/// A command that writes a secret on its standard output.
///
/// Messages never quote its output, not even its standard error: programs print what they were given.
struct SecretCommand: Sendable {
    /// The configuration key of the command, for messages.
    let key: String
    let expected: Message
    /// The command, for `/bin/sh -c`; it may hold a password.
    let text: Redacted<String>
    /// The longest time for the command; a machine that is starting all its services is slow.
    var timeout = Duration.seconds(30)

    /// Runs the command and returns the first line of its output.
    ///
    /// - Throws: `CodedError` `secret_unreadable`; `CancellationError`.
    func firstLine() async throws -> Redacted<String> {
        let line = try await self.run().reveal().prefix { !$0.isNewline }.trimmed
        guard line.isOneLine else { throw self.error(.secretCommandLine) }
        return Redacted(line)
    }

    /// Runs the command and returns its whole output.
    ///
    /// - Throws: `CodedError` `secret_unreadable`; `CancellationError`.
    func run() async throws -> Redacted<String> {
        do {
            return try await withThrowingTaskGroup(of: Redacted<String>?.self) { group in
                group.addTask { Redacted(try await self.output()) }
                group.addTask {
                    try await Task.sleep(for: self.timeout)
                    return nil
                }
                defer { group.cancelAll() }
                // The first result counts; leaving the group kills a command that still runs.
                guard let first = try await group.next(), let output = first else {
                    throw self.error(.secretCommandSlow(self.timeout))
                }
                return output
            }
        } catch {
            // When our task is cancelled, the killed command shows as an error of its own.
            try Task.checkCancellation()
            if let error = error as? CodedError { throw error }
            let isTooLong = (error as? SubprocessError)?.code == .outputLimitExceeded
            throw self.error(isTooLong ? .secretCommandTooLong(SecretFile.maximumBytes) : .secretCommandNotRun)
        }
    }

    /// The error of a command whose output is unusable.
    func error(_ reason: Message) -> CodedError {
        CodedError(.secretUnreadable, .configuration, .secretCommand(self.key, reason, expected: self.expected))
    }

    private func output() async throws -> String {
        var options = PlatformOptions()
        // A session of its own: it can be killed as a whole, and no program asks for a password at our terminal.
        options.createSession = true
        // A gentler signal could stop the shell only, and leave its children running.
        options.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .milliseconds(500))
        ]
        let result = try await Subprocess.run(
            .path("/bin/sh"),
            arguments: ["-c", self.text.reveal()],
            environment: .inherit.updating(Self.withheld),
            platformOptions: options,
            input: .none,
            output: .string(limit: SecretFile.maximumBytes),
            error: .discarded
        )
        switch result.terminationStatus {
        case .exited(0): return result.standardOutput.withoutByteOrderMark
        case .exited(let code): throw self.error(.secretCommandFailed(code))
        case .signaled(let signal): throw self.error(.secretCommandSignal(signal))
        }
    }

    /// Our secrets in the environment are withheld: a program that gives one must not get the others.
    private static let withheld = Dictionary(
        uniqueKeysWithValues: ConfigurationKey.all.filter(\.isSecret).map { key in
            (Environment.Key(stringLiteral: key.variable), String?.none)
        }
    )
}
