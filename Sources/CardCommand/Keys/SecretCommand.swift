import CardModel
import Subprocess
import SystemPackage

/// A command that writes a secret on its standard output.
///
/// Nothing of what it writes is in a message, not even of its standard error: programs echo what they were given.
struct SecretCommand: Sendable {
    /// The key that holds the command, for messages.
    let key: String
    /// What it must write, for messages.
    let expected: Message
    /// The command, for `/bin/sh -c`; it may hold a password.
    let text: Redacted<String>
    /// The longest time that it may take; a machine that starts all its services at once is slow.
    var timeout = Duration.seconds(30)

    /// Runs the command and returns the first line that it wrote.
    ///
    /// - Throws: `CodedError` `secret_unreadable`; `CancellationError`.
    func firstLine() async throws -> Redacted<String> {
        let line = try await self.run().reveal().prefix { !$0.isNewline }.trimmed
        guard line.isOneLine else { throw self.error(.secretCommandLine) }
        return Redacted(line)
    }

    /// Runs the command and returns all that it wrote.
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
                // The first to end decides; leaving the group ends a command that still runs.
                guard let first = try await group.next(), let output = first else {
                    throw self.error(.secretCommandSlow(self.timeout))
                }
                return output
            }
        } catch {
            // A command that was cut short together with our task shows as an error of its own.
            try Task.checkCancellation()
            if let error = error as? CodedError { throw error }
            guard let error = error as? SubprocessError, error.code == .outputLimitExceeded else {
                throw self.error(.secretCommandNotRun)
            }
            throw self.error(.secretCommandTooLong(SecretFile.maximumBytes))
        }
    }

    /// The error of a command whose output is of no use.
    func error(_ reason: Message) -> CodedError {
        CodedError(.secretUnreadable, .configuration, .secretCommand(self.key, reason, expected: self.expected))
    }

    private func output() async throws -> String {
        var options = PlatformOptions()
        // A session of its own: what the shell started ends with it, and nothing asks for a password at our terminal.
        options.createSession = true
        // A gentler signal could end the shell alone, and then nobody would end the rest.
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

    /// Our secrets in the environment: one program is not told them all in order to give one.
    private static let withheld = Dictionary(
        uniqueKeysWithValues: ConfigurationKey.all.filter(\.isSecret).map { key in
            (Environment.Key(stringLiteral: key.variable), String?.none)
        }
    )
}
