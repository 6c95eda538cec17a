import Foundation
package import Logging

/// Writes log records to standard error, as text or as one JSON object a line.
package struct ConsoleLogHandler: LogHandler {
    /// The forms of a record (`log.format`).
    package enum Format: String, CaseIterable, Sendable {
        /// `2026-05-12T10:14:07.000Z info message key=value`
        case text
        /// `{"time": …, "level": …, "message": …, …}`
        case json
    }

    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let format: Format

    /// Makes a handler.
    package init(level: Logger.Level, format: Format) {
        self.logLevel = level
        self.format = format
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    /// What is written of some metadata: values under keys that somebody has looked at.
    static func shown(_ metadata: Logger.Metadata) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: metadata.map { key, value in
                (key, LoggedKeys.contains(key) ? "\(value)" : LoggedKeys.placeholder)
            }
        )
    }

    package func log(event: LogEvent) {
        let merged = Self.shown(self.metadata.merging(event.metadata ?? [:]) { _, new in new })
        let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        switch self.format {
        case .text:
            let values = merged.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
            Console.standardError("\(time) \(event.level.rawValue) \(event.message)\(values)")
        case .json:
            var object = merged
            object["time"] = time
            object["level"] = event.level.rawValue
            object["message"] = "\(event.message)"
            Console.standardError(JSONText.line(object))
        }
    }
}
