import Foundation
import Glibc
import Synchronization

/// The two streams of a command: data on standard output, words on standard error; live lines stay below everything else.
package enum Console {
    private struct State {
        /// What stands at the bottom of the terminal, to be erased before anything else is written.
        var live: [String] = []
        /// The first error of standard output.
        var outputError: Int32?
    }

    private static let state = Mutex(State())

    /// Whether standard error is a terminal that can show live lines.
    package static var canShowLiveLines: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// The `errno` of the first write to standard output that failed; `nil` if none did, or only because nobody reads any
    /// more (`EPIPE`), as with `| head`.
    package static var outputError: Int32? { self.state.withLock(\.outputError) }

    /// Writes data; the line is ended if the text does not end it.
    package static func standardOutput(_ text: String) { self.send(text, to: STDOUT_FILENO) }

    /// Writes words for a person; the line is ended if the text does not end it.
    package static func standardError(_ text: String) { self.send(text, to: STDERR_FILENO) }

    /// Replaces the live lines at the bottom of the terminal; none removes them.
    package static func showLive(_ lines: [String]) {
        self.state.withLock { state in
            self.erase(state.live)
            state.live = lines
            self.draw(lines)
        }
    }

    private static func send(_ text: String, to descriptor: Int32) {
        self.state.withLock { state in
            self.erase(state.live)
            let error = DescriptorOutput.write(text.hasSuffix("\n") ? text : text + "\n", to: descriptor)
            if descriptor == STDOUT_FILENO, let error, error != EPIPE { state.outputError = state.outputError ?? error }
            self.draw(state.live)
        }
    }

    private static func erase(_ shown: [String]) {
        guard !shown.isEmpty else { return }
        self.decorate("\u{1B}[\(shown.count)A\u{1B}[J")
    }

    private static func draw(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        self.decorate(lines.map { $0 + "\n" }.joined())
    }

    /// Writes to the terminal; there is no other place to say that standard error fails.
    private static func decorate(_ text: String) { _ = DescriptorOutput.write(text, to: STDERR_FILENO) }
}
