import ArgumentParser
import CardModel
import Glibc

/// The documented exit statuses, after `sysexits.h`.
enum CommandStatus: Int32, CaseIterable, Sendable {
    /// Every card is delivered; duplicates count as done.
    case delivered = 0
    /// Some card ended rejected, failed or held, or waits for its front.
    case someNotDelivered = 1
    /// The command line is wrong.
    case usage = 64
    /// An input cannot be read.
    case inputUnreadable = 66
    /// An endpoint stopped us: credentials, quota, TOKEN.
    case endpointStopped = 69
    /// The sandbox or the disk fails.
    case sandboxError = 74
    /// Work remains; run again.
    case workRemains = 75
    /// The configuration is wrong.
    case configuration = 78
    /// Interrupted by SIGINT; all is durable.
    case interrupted = 130
    /// Interrupted by SIGTERM; all is durable.
    case terminated = 143

    /// The status as what a command throws to end with it.
    var exitCode: ExitCode { ExitCode(self.rawValue) }

    /// The status of a command that an error ends.
    init(_ error: CodedError) {
        switch error.kind {
        case .usage: self = .usage
        case .input, .notFound, .conflict: self = .inputUnreadable
        case .endpoint: self = .endpointStopped
        case .storage: self = .sandboxError
        case .temporary: self = .workRemains
        case .configuration: self = .configuration
        }
    }
}

/// The forms of data on standard output.
enum OutputFormat: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// For people.
    case text
    /// One JSON object.
    case json
    /// One JSON object a line.
    case jsonl
}

/// How a command writes lines that come one by one.
enum LineFormat: String, CaseIterable, ExpressibleByArgument {
    /// For people.
    case text
    /// One JSON object a line.
    case jsonl
}

/// Runs a command to its exit status; every error ends here, in words on standard error.
enum CommandRunner {
    /// Runs a command and throws its exit code unless it is 0.
    ///
    /// - Parameter consolation: what holds although its report could not be written.
    static func run(
        consolation: String = "the sandbox has everything",
        _ body: () async throws -> CommandStatus
    ) async throws {
        var status: CommandStatus
        do { status = try await body() } catch { status = self.report(error) }
        if let error = Console.outputError {
            // A report that is cut must not look like success.
            Console.standardError(
                "error: standard output cannot be written: \(String(cString: strerror(error))); \(consolation)"
            )
            status = .sandboxError
        }
        await Console.finish()
        if status != .delivered { throw status.exitCode }
    }

    /// Says what happened and returns the status to exit with.
    static func report(_ error: any Error) -> CommandStatus {
        switch error {
        case let error as CodedError:
            Console.standardError("error: " + error.message.text())
            return CommandStatus(error)
        case let error as ConfigurationError:
            for mistake in error.mistakes { Console.standardError("error: " + mistake.error.message.text()) }
            return .configuration
        default:
            // A description may hold a path or personal data; domain and code tell one error from another.
            Console.standardError(
                """
                error: something failed in a way that was not foreseen (\(error._domain) \(error._code)); what is in the sandbox \
                is safe there: run the same command again, and report this code if it fails again
                """
            )
            return .sandboxError
        }
    }
}
