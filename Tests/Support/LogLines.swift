package import Logging
import Synchronization

/// Keeps what was logged, as text.
package final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    package init() {}

    /// Everything, one line a record.
    package var text: String { self.lines.withLock { $0.joined(separator: "\n") } }

    /// A logger that writes here, down to the finest level.
    package var logger: Logger {
        var logger = Logger(label: "specimen") { _ in Handler(lines: self) }
        logger.logLevel = .trace
        return logger
    }

    fileprivate func append(_ line: String) { self.lines.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = self.metadata.merging(event.metadata ?? [:]) { _, new in new }
            let text = values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            self.lines.append("\(event.level) \(event.message) \(text)")
        }
    }
}
