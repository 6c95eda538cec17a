import CardModel
import Dispatch
import Foundation
import Glibc
import Logging
import Synchronization

/// The two streams of a command: data on standard output, messages on standard error; live lines stay below all others.
///
/// One queue writes everything in order, on its own thread: a reader that stalls (`| less`) blocks no other thread. A
/// caller with data is suspended until they are written, so that they do not pile up. Messages do not wait; beyond a
/// limit they are left out, and the next line gives their number.
enum Console {
    private struct State {
        /// The first error of standard output.
        var outputError: Int32?
        /// Whether the reader of standard output has exited.
        var hasNoReader = false
        /// How many messages are not written yet, and how many were left out since the last written one.
        var waiting = 0
        var leftOut = 0
        /// The lines at the bottom of the terminal, which are erased before anything else is written.
        var live: [String] = []
        /// The options that commands in messages need to name the same sandbox.
        var options: [String] = []
        /// Whether programs read standard error, so that each line is a log record.
        var saysRecords = false
    }

    /// How many messages may wait for a reader: the log of some hundred cards.
    private static let waitingLimit = 1000

    private static let state = Mutex(State())
    private static let queue = DispatchQueue(label: "console")

    static var canShowLiveLines: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// The `errno` of the first failed write to standard output; `nil` if none failed, or only because the reader exited
    /// (`EPIPE`), as with `| head`.
    static var outputError: Int32? { self.state.withLock(\.outputError) }

    /// The reader of standard output has exited.
    struct NoReader: Error {}

    /// Stops a command that only prints, once its reader has exited (`| head`).
    static func requireReader() throws(NoReader) {
        if self.state.withLock(\.hasNoReader) { throw NoReader() }
    }

    /// Sets the options that commands in messages repeat, so that they name the same sandbox.
    static func repeatOptions(config: String?, sandbox: String? = nil, embedded: Bool) {
        let paths = [("--config", config), ("--sandbox", sandbox)].compactMap { name, path in
            path.map { "\(name) \($0.quotedForShell)" }
        }
        self.state.withLock { $0.options = paths + (embedded ? ["--embedded"] : []) }
    }

    /// Writes every message as a log record in JSON from now on.
    static func sayRecords() { self.state.withLock { $0.saysRecords = true } }

    static func readable(_ message: Message) -> String { self.readable(message.text().oneLine) }

    /// The text for a person: its commands work when copied, and it holds no terminal control characters.
    static func readable(_ text: String) -> String {
        let options = self.state.withLock(\.options)
        guard !options.isEmpty, text.contains("idcard-pipeline ") else { return text.plain }
        let command =
            #/
            idcard-pipeline\ (?:(?:cards|cases|keys|review)\ \w+|config\ (?:check|show)
            |run|watch|serve|status|resume|fsck|backup|restore|tokens\ \w+(?![^;\n]*--tokens-file))\b
            /#
        return text.replacing(command) { match in
            // Tokens belong to no sandbox; without --tokens-file, the configuration names their file.
            let fitting = match.output.contains(" tokens ") ? options.filter { !$0.hasPrefix("--sandbox ") } : options
            return ([String(match.output)] + fitting).joined(separator: " ")
        }.plain
    }

    /// Writes data and returns when they are written; adds a missing line end.
    static func standardOutput(_ text: String) async {
        await self.standardOutput(Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
    }

    /// Writes bytes and returns when they are written.
    static func standardOutput(_ bytes: Data) async {
        await self.inOrder {
            guard let error = self.write(bytes, to: STDOUT_FILENO) else { return }
            self.state.withLock { state in
                if error == EPIPE { state.hasNoReader = true } else { state.outputError = state.outputError ?? error }
            }
        }
    }

    /// Writes a text for a person, without waiting; adds a missing line end.
    ///
    /// - Parameter isForProgram: whether a program reads the text, so that it is not changed.
    static func standardError(_ text: String, isForProgram: Bool = false) {
        let isAccepted = self.state.withLock { state in
            let hasRoom = state.waiting < self.waitingLimit
            if hasRoom { state.waiting += 1 } else { state.leftOut += 1 }
            return hasRoom
        }
        guard isAccepted else { return }
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

    static func say(_ message: Message, _ level: Logger.Level = .notice) {
        let (text, isRecord) = self.line(message, level)
        self.standardError(text, isForProgram: isRecord)
    }

    static func error(_ message: Message) { self.say(message, .error) }

    static func warn(_ message: Message) { self.say(message, .warning) }

    static func notice(_ message: Message) { self.say(.consoleNote(message)) }

    /// A message as a line for a person, or as a record without personal values.
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

    /// Replaces the live lines at the bottom of the terminal, and returns when that is done; an empty list removes them.
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
    private static func write(_ bytes: Data, to descriptor: Int32) -> Int32? {
        self.erase()
        defer { self.draw() }
        return self.writeAll(bytes, to: descriptor)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        self.write(Data((text.hasSuffix("\n") ? text : text + "\n").utf8), to: descriptor)
    }

    private static func erase() {
        let count = self.state.withLock(\.live.count)
        // An error of standard error cannot be reported anywhere else.
        if count > 0 { _ = self.writeAll(Data("\u{1B}[\(count)A\u{1B}[J".utf8), to: STDERR_FILENO) }
    }

    private static func draw() {
        let lines = self.state.withLock(\.live).map { $0 + "\n" }
        if !lines.isEmpty { _ = self.writeAll(Data(lines.joined().utf8), to: STDERR_FILENO) }
    }

    /// Writes everything, across interruptions, short writes and a non-blocking descriptor with a slow reader.
    private static func writeAll(_ data: Data, to descriptor: Int32) -> Int32? {
        var bytes = data[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
                continue
            }
            // A write of 0 bytes counts as an error: otherwise it would be repeated permanently.
            let error = count < 0 ? errno : EIO
            guard error == EINTR || error == EAGAIN else { return error }
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            // A descriptor in error counts as ready: the next write returns the error.
            while error == EAGAIN, poll(&request, 1, -1) < 0 {
                guard errno == EINTR else { return errno }
            }
        }
        return nil
    }
}
