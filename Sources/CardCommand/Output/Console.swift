import CardModel
import Dispatch
import Foundation
import Glibc
import Logging
import Synchronization

/// The two streams of a command: data on standard output, words on standard error; live lines stay below everything else.
///
/// One queue writes everything in order, on a thread of its own: a reader that stalls (`| less`) keeps no other thread. Whoever
/// has data waits, suspended, until they are written, so they do not pile up. Words do not wait; beyond a bound they are left
/// out, and the next line says how many.
enum Console {
    private struct State {
        /// The first error of standard output.
        var outputError: Int32?
        /// Whether the reader of standard output has gone.
        var hasNoReader = false
        /// Words that are not written yet, and those left out since.
        var waiting = 0
        var leftOut = 0
        /// What stands at the bottom of the terminal, to be erased before anything else is written.
        var live: [String] = []
        /// The options that commands in messages need to speak of the same sandbox.
        var options: [String] = []
        /// Whether programs read standard error, so that each line is a log record.
        var saysRecords = false
    }

    /// How many lines of words may wait for a reader: the log of some hundred cards.
    private static let mostWaiting = 1000

    private static let state = Mutex(State())
    private static let queue = DispatchQueue(label: "console")

    static var canShowLiveLines: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// The `errno` of the first write to standard output that failed; `nil` if none did, or only because nobody reads any
    /// more (`EPIPE`), as with `| head`.
    static var outputError: Int32? { self.state.withLock(\.outputError) }

    /// Nobody reads standard output any more.
    struct NoReader: Error {}

    /// Ends what does nothing but print, once its reader has gone (`| head`).
    static func requireReader() throws(NoReader) {
        if self.state.withLock(\.hasNoReader) { throw NoReader() }
    }

    /// Has the commands that messages name repeat the options that say which sandbox is meant.
    static func repeatOptions(_ options: [String]) {
        self.state.withLock { $0.options = options }
    }

    /// Has every message be a log record in JSON.
    static func sayRecords() { self.state.withLock { $0.saysRecords = true } }

    /// A message as a line of a report.
    static func readable(_ message: Message) -> String { self.readable(message.text().oneLine) }

    /// The text as a person reads it: its commands work when they are copied, and nothing in it commands the terminal.
    static func readable(_ text: String) -> String {
        let options = self.state.withLock(\.options)
        guard !options.isEmpty, text.contains("idcard-pipeline ") else { return text.plain }
        let command =
            #/
            idcard-pipeline\ (?:(?:cards|cases|keys|review)\ \w+|config\ (?:check|show)
            |run|watch|serve|status|resume|fsck|backup|restore|tokens\ \w+(?![^;\n]*--tokens-file))\b
            /#
        return text.replacing(command) { match in
            // Tokens belong to no sandbox; the configuration names their file where the command does not.
            let fitting = match.output.contains(" tokens ") ? options.filter { !$0.hasPrefix("--sandbox ") } : options
            return ([String(match.output)] + fitting).joined(separator: " ")
        }.plain
    }

    /// Writes data and returns when they are written; the line is ended if the text does not end it.
    static func standardOutput(_ text: String) async {
        await self.inOrder {
            guard let error = self.write(text, to: STDOUT_FILENO) else { return }
            self.state.withLock { state in
                if error == EPIPE { state.hasNoReader = true } else { state.outputError = state.outputError ?? error }
            }
        }
    }

    /// Writes words for a person, sooner or later; the line is ended if the text does not end it.
    ///
    /// - Parameter isForProgram: whether a program reads the text, so that nothing is changed in it.
    static func standardError(_ text: String, isForProgram: Bool = false) {
        let isTaken = self.state.withLock { state in
            let hasRoom = state.waiting < self.mostWaiting
            if hasRoom { state.waiting += 1 } else { state.leftOut += 1 }
            return hasRoom
        }
        guard isTaken else { return }
        self.queue.async {
            self.write(isForProgram ? text : self.readable(text), to: STDERR_FILENO)
            let leftOut = self.state.withLock { state in
                state.waiting -= 1
                defer { state.leftOut = 0 }
                return state.leftOut
            }
            guard leftOut > 0 else { return }
            self.write(self.line(.consoleLeftOut(leftOut), .warning).text, to: STDERR_FILENO)
        }
    }

    /// Writes a message for a person, as ``standardError(_:isForProgram:)`` does.
    static func say(_ message: Message) { self.say(message, .notice) }

    static func error(_ message: Message) { self.say(message, .error) }

    static func warn(_ message: Message) { self.say(message, .warning) }

    static func note(_ message: Message) { self.say(.consoleNote(message), .notice) }

    private static func say(_ message: Message, _ level: Logger.Level) {
        let (text, isRecord) = self.line(message, level)
        self.standardError(text, isForProgram: isRecord)
    }

    /// A message as a line for a person; or as a record, without its personal values.
    private static func line(_ message: Message, _ level: Logger.Level) -> (text: String, isRecord: Bool) {
        if self.state.withLock(\.saysRecords) {
            let text = self.readable(message.description)
            return (ConsoleLogHandler.record(level, text, ["message.id": message.id]), true)
        }
        let marked: Message =
            switch level {
            case .error: .consoleError(message)
            case .warning: .consoleWarning(message)
            default: message
            }
        return (marked.text().oneLine, false)
    }

    /// Replaces the live lines at the bottom of the terminal, and returns when that is done; none removes them.
    static func showLive(_ lines: [String]) async {
        await self.inOrder {
            self.erase()
            self.state.withLock { $0.live = lines }
            self.draw()
        }
    }

    /// Returns when everything has been written.
    static func finish() async { await self.inOrder {} }

    private static func inOrder(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            self.queue.async {
                body()
                continuation.resume()
            }
        }
    }

    // MARK: On the queue

    /// Writes a text above the live lines, and returns the `errno` of a write that failed.
    @discardableResult
    private static func write(_ text: String, to descriptor: Int32) -> Int32? {
        self.erase()
        defer { self.draw() }
        return self.writeAll(text.hasSuffix("\n") ? text : text + "\n", to: descriptor)
    }

    private static func erase() {
        let count = self.state.withLock(\.live.count)
        // There is no other place to say that standard error fails.
        if count > 0 { _ = self.writeAll("\u{1B}[\(count)A\u{1B}[J", to: STDERR_FILENO) }
    }

    private static func draw() {
        let lines = self.state.withLock(\.live).map { $0 + "\n" }
        if !lines.isEmpty { _ = self.writeAll(lines.joined(), to: STDERR_FILENO) }
    }

    /// Writes everything, past interruptions, short writes and a reader that is slower than a non-blocking descriptor.
    private static func writeAll(_ text: String, to descriptor: Int32) -> Int32? {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
                continue
            }
            // A write of nothing would be repeated for ever.
            let error = count < 0 ? errno : EIO
            guard error == EINTR || error == EAGAIN else { return error }
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            // A descriptor in error counts as ready: the next write tells the error.
            while error == EAGAIN, poll(&request, 1, -1) < 0 {
                guard errno == EINTR else { return errno }
            }
        }
        return nil
    }
}

extension String {
    /// The text without what would command a terminal: the name of a file may hold that.
    var plain: String { self.replacing { $0 != "\n" && $0 != "\t" && $0.commandsTerminal } }

    /// The text as one line: a name in it does not begin another one.
    var oneLine: String { self.replacing(\.commandsTerminal) }

    private func replacing(_ isCommand: (Unicode.Scalar) -> Bool) -> String {
        // Most lines are ASCII, and there the look at each byte is far cheaper.
        if self.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return self }
        guard self.unicodeScalars.contains(where: isCommand) else { return self }
        return String(String.UnicodeScalarView(self.unicodeScalars.map { isCommand($0) ? "?" : $0 }))
    }
}

extension Unicode.Scalar {
    /// Whether it moves the cursor, ends the line, or turns the direction of what follows.
    fileprivate var commandsTerminal: Bool {
        switch self.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: self.properties.isBidiControl
        }
    }
}
