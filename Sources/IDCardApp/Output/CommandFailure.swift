import ArgumentParser
import IDCardCore
import IDCardDelivery
import IDCardEmbedded
import IDCardPipeline
import IDCardServer
import IDCardTriggers
import IDCardVerification

/// An error at the top of a command: turned into words on standard error and an exit status, once.
struct CommandFailure {
    /// The words for standard error.
    let lines: [String]
    /// The status to exit with.
    let status: CommandStatus

    /// Looks at an error.
    init(_ error: any Error) {
        switch error {
        case let error as ConfigurationError:
            self.lines = error.problems.map { "error: \($0.message)" }
            self.status = .configuration
        case let error as VerificationError:
            self.lines = ["error: \(error.message)"]
            self.status = .configuration
        case let error as DeliveryError:
            self.lines = ["error: \(error.message)"]
            self.status = .configuration
        case let error as BatchSourceError:
            // The path is the user's own argument; it goes to standard error of the command only, never to a log.
            self.lines = ["error: \(error.message)" + (error.input.map { ": \($0.reveal())" } ?? "")]
            self.status = .inputUnreadable
        case let error as WatchError:
            self.lines = ["error: \(error.message)" + (error.folder.map { ": \($0.reveal())" } ?? "")]
            let isOfInput = [.rootNotFound, .rootUnreadable].contains(error.code)
            self.status = isOfInput ? .inputUnreadable : .configuration
        case let error as KeylessProcesses:
            self.lines = ["error: \(error.message)"]
            self.status = .workRemains
        case let error as CardCommandError:
            self.lines = ["error: \(error.message)"]
            self.status = error.status
        case let error as StoreError:
            self.lines = ["error: \(error.message)"]
            self.status = [.wrongSandbox, .wrongKey].contains(error.code) ? .configuration : .sandboxError
        case let error as ServerError:
            self.lines = ["error: \(error.message)"]
            self.status = .configuration
        case let error as EmbeddedError:
            self.lines = ["error: \(error)"]
            self.status = error.code == .folderInUse ? .workRemains : .configuration
        case let error as EmbeddedCredentialsError:
            self.lines = ["error: \(error)"]
            self.status = .sandboxError
        default:
            self.lines = [
                "error: something failed in a way that was not foreseen (\(Self.code(of: error))); what is in the sandbox is "
                    + "safe there, run the same command again, and report this code if it fails again"
            ]
            self.status = .sandboxError
        }
    }

    /// What tells one error from another without its description, which may hold a path or personal data.
    static func code(of error: any Error) -> String {
        if let error = error as? StoreError { return "\(error.code)" }
        return "\(error._domain) \(error._code)"
    }

    /// Says what happened and returns the status to exit with.
    func report() -> CommandStatus {
        for line in self.lines { Console.standardError(line) }
        return self.status
    }
}
