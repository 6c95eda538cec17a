import ArgumentParser
import CardModel

/// The documented exit statuses, after `sysexits.h`.
enum CommandStatus: Int32, CaseIterable, Sendable {
    /// Every card is delivered; duplicates count as delivered.
    case delivered = 0
    /// Some card is rejected, failed or held, or waits for its front.
    case someNotDelivered = 1
    /// `status --check`: cards make no progress.
    case critical = 2
    /// The command line is wrong.
    case usage = 64
    /// An input cannot be read.
    case inputUnreadable = 66
    /// An endpoint refused us: credentials, quota, TOKEN.
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

    /// Prints an error, and chooses its status.
    fileprivate init(reporting error: any Error) {
        switch error {
        case let error as CodedError:
            Console.error(error.message)
            switch error.kind {
            case .usage: self = .usage
            case .input, .notFound, .conflict: self = .inputUnreadable
            case .endpoint: self = .endpointStopped
            case .storage: self = .sandboxError
            case .temporary: self = .workRemains
            case .configuration: self = .configuration
            }
        case is Console.NoReader: self = .delivered
        case let error as ConfigurationError:
            for mistake in error.mistakes { Console.error(mistake.error.message) }
            self = .configuration
        default:
            // A description may hold a path or personal data; domain and code identify the error.
            Console.error(.outputUnforeseen(error._domain, error._code))
            self = .sandboxError
        }
    }
}

/// A command; it prints every error on standard error, and exits with one of the documented statuses.
protocol Command: AsyncParsableCommand {
    /// Does the work, and returns the status to exit with.
    func execute() async throws -> CommandStatus
    /// Says what is safe although the report could not be written.
    var reassurance: Message { get }
}

extension Command {
    var reassurance: Message { .outputSaved }

    func run() async throws {
        var status: CommandStatus
        do { status = try await self.execute() } catch { status = CommandStatus(reporting: error) }
        if let error = Console.outputError {
            // An incomplete report must not look like success.
            Console.error(.outputFailed(error, self.reassurance))
            status = .sandboxError
        }
        await Console.finish()
        if status != .delivered { throw ExitCode(status.rawValue) }
    }
}
