import Foundation
import Glibc
import Synchronization

/// The two streams of a command: data on standard output, words on standard error; live lines stay below everything else.
package enum Console {
    /// What stands at the bottom of the terminal, to be erased before anything else is written.
    private static let live = Mutex<[String]>([])

    /// Whether standard error is a terminal that can show live lines.
    package static var canShowLiveLines: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// Writes data; the line is ended if the text does not end it.
    package static func standardOutput(_ text: String) { self.send(text, to: STDOUT_FILENO) }

    /// Writes words for a person; the line is ended if the text does not end it.
    package static func standardError(_ text: String) { self.send(text, to: STDERR_FILENO) }

    /// Replaces the live lines at the bottom of the terminal; none removes them.
    package static func showLive(_ lines: [String]) {
        self.live.withLock { shown in
            self.erase(shown)
            shown = lines
            self.draw(shown)
        }
    }

    private static func send(_ text: String, to descriptor: Int32) {
        self.live.withLock { shown in
            self.erase(shown)
            self.write(text.hasSuffix("\n") ? text : text + "\n", to: descriptor)
            self.draw(shown)
        }
    }

    private static func erase(_ shown: [String]) {
        guard !shown.isEmpty else { return }
        self.write("\u{1B}[\(shown.count)A\u{1B}[J", to: STDERR_FILENO)
    }

    private static func draw(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        self.write(lines.map { $0 + "\n" }.joined(), to: STDERR_FILENO)
    }

    /// Writes everything, past interruptions and short writes; gives up when nobody reads any more: the sandbox has it all.
    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
