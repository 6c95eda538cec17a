import Foundation
import IDCardCore
import Subprocess
import SystemPackage

/// A command whose first line of output is the TOKEN (`delivery.token_command`).
///
/// Nothing of what it writes is in a message, not even of its standard error: programs echo what they were given.
struct TokenCommand: Hashable, Sendable {
    /// Most bytes that it may write.
    static let maximumBytes = 64 * 1024

    /// The command, for `/bin/sh -c`.
    let text: String
    /// The longest time that it may take.
    let timeout: Duration

    /// Runs the command.
    ///
    /// - Throws: ``ConfigurationError`` with the code `secretUnreadable`; `CancellationError`.
    func run() async throws -> Redacted<String> {
        let output: String
        do {
            output = try await self.outputInTime()
        } catch {
            // A command that was cut short together with our task shows as an error of its own.
            try Task.checkCancellation()
            throw ConfigurationError([Self.problem(error)])
        }
        let line = output.prefix { !$0.isNewline }
        let token = line.trimmingCharacters(in: .whitespaces)
        guard !token.isEmpty else { throw ConfigurationError([Self.problem("wrote no TOKEN in its first line")]) }
        let isClean = token.unicodeScalars.allSatisfy { !CharacterSet.controlCharacters.contains($0) }
        guard isClean else { throw ConfigurationError([Self.problem("wrote control characters in its first line")]) }
        return Redacted(token)
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
                throw Self.problem("took longer than \(DurationText.render(timeout)) (delivery.token_timeout)")
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
            arguments: ["-c", self.text],
            platformOptions: options,
            input: .none,
            output: .string(limit: Self.maximumBytes),
            error: .discarded
        )
        guard result.terminationStatus.isSuccess else {
            throw Self.problem("failed: \(Self.words(result.terminationStatus))")
        }
        return result.standardOutput
    }

    private static func words(_ status: TerminationStatus) -> String {
        switch status {
        case .exited(let code): "exit status \(code)"
        case .signaled(let signal): "ended by signal \(signal)"
        }
    }

    private static func problem(_ error: any Error) -> ConfigurationError.Problem {
        if let problem = error as? ConfigurationError.Problem { return problem }
        if let error = error as? SubprocessError, error.code == .outputLimitExceeded {
            return Self.problem("wrote more than \(ByteCountText.render(Self.maximumBytes))")
        }
        return Self.problem("could not be run or its output not be read")
    }

    private static func problem(_ reason: String) -> ConfigurationError.Problem {
        ConfigurationError.Problem(
            .secretUnreadable,
            key: "delivery.token_command",
            "delivery.token_command \(reason); run it by hand with /bin/sh -c: it must end with status 0 and write the "
                + "TOKEN as its first line"
        )
    }
}
