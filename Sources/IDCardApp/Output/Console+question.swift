import Glibc

extension Console {
    /// Whether there is somebody to be asked: standard input and standard error are a terminal.
    static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Asks on standard error and returns the line that is typed; `nil` at the end of input.
    static func ask(_ question: String) -> String? {
        Self.standardError(question)
        return readLine()
    }
}
