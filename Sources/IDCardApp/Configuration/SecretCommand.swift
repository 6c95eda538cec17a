import Foundation
import IDCardCore
import Subprocess
import SystemPackage

/// A command that writes a secret on its standard output.
///
/// Nothing of what it writes is in a message, not even of its standard error: programs echo what they were given.
struct SecretCommand: Hashable, Sendable {
    /// Most bytes that it may write.
    static let maximumBytes = 64 * 1024

    /// The key that holds the command, for messages.
    let key: String
    /// The key that holds the longest time, for messages.
    let timeoutKey: String
    /// What it must write, such as `the TOKEN as its first line`, for messages.
    let expected: String
    /// The command, for `/bin/sh -c`; it may hold a password.
    let text: Redacted<String>
    /// The longest time that it may take.
    let timeout: Duration

    /// Runs the command and returns all that it wrote.
    ///
    /// - Throws: ``ConfigurationError`` with the code `secretUnreadable`; `CancellationError`.
    func run() async throws -> Redacted<String> {
        do {
            return Redacted(try await self.outputInTime())
        } catch {
            // A command that was cut short together with our task shows as an error of its own.
            try Task.checkCancellation()
            throw ConfigurationError([self.problem(error)])
        }
    }

    /// The error of a command whose output is of no use.
    func problem(_ reason: String) -> ConfigurationError.Problem {
        ConfigurationError.Problem(
            .secretUnreadable,
            key: self.key,
            "\(self.key) \(reason); run it by hand with /bin/sh -c: it must end with status 0 and write "
                + self.expected
        )
    }

    private func outputInTime() async throws -> String {
        let timeout = self.timeout
        return try await withThrowingTaskGroup(of: String?.self) { group in
            group.addTask { try await self.output() }
            group.addTask {
                try await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            // The first to end decides; leaving the group ends a command that still runs.
            guard let first = try await group.next(), let output = first else {
                throw self.problem("took longer than \(DurationText.render(timeout)) (\(self.timeoutKey))")
            }
            return output
        }
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
            output: .string(limit: Self.maximumBytes),
            error: .discarded
        )
        guard result.terminationStatus.isSuccess else {
            throw self.problem("failed: \(Self.words(result.terminationStatus))")
        }
        return result.standardOutput
    }

    /// Our secrets in the environment: one program is not told them all in order to give one.
    private static let withheld = Dictionary(
        uniqueKeysWithValues: ConfigurationKey.all.filter(\.isSecret).map { key in
            (Environment.Key(stringLiteral: key.environmentName), String?.none)
        }
    )

    private static func words(_ status: TerminationStatus) -> String {
        switch status {
        case .exited(let code): "exit status \(code)"
        case .signaled(let signal): "ended by signal \(signal)"
        }
    }

    private func problem(_ error: any Error) -> ConfigurationError.Problem {
        if let problem = error as? ConfigurationError.Problem { return problem }
        if let error = error as? SubprocessError, error.code == .outputLimitExceeded {
            return self.problem("wrote more than \(ByteCountText.render(Self.maximumBytes))")
        }
        return self.problem("could not be run or its output not be read")
    }
}
