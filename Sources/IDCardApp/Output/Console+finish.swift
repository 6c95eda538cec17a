import Foundation

extension Console {
    /// Says on standard error if standard output could not be written in full: a report that is cut must not look like
    /// success.
    ///
    /// - Parameter consolation: what the user has instead.
    /// - Returns: the status to end with, instead of the command's own; `nil` if everything was written.
    static func finish(consolation: String = "the sandbox has everything") -> CommandStatus? {
        guard let failure = self.outputFailure(self.outputError, consolation: consolation) else { return nil }
        self.standardError(failure)
        return .sandboxError
    }

    /// The words for an error of standard output.
    static func outputFailure(_ error: Int32?, consolation: String) -> String? {
        guard let error else { return nil }
        let reason = String(cString: strerror(error))
        return "error: standard output cannot be written: \(reason); \(consolation)"
    }
}
