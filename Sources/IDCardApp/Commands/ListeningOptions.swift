import ArgumentParser
import Logging

/// Where a built-in endpoint listens.
struct ListeningOptions: ParsableArguments {
    @Option(name: .long, parsing: .unconditional, help: ArgumentHelp("The port to listen on; 0 for a free one.", valueName: "port"))
    var port = 0

    @Option(
        name: .long,
        help: ArgumentHelp("The least severity that is logged: trace, debug, info, … critical.", valueName: "level"),
        transform: Self.level
    )
    var logLevel = Logger.Level.warning

    /// Only loopback: these endpoints have neither TLS nor real accounts.
    var host: String { "127.0.0.1" }

    func validate() throws {
        guard (0...65_535).contains(self.port) else {
            throw ValidationError("--port is a number from 0 to 65535, got \(self.port).")
        }
    }

    private static func level(_ text: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: text) else {
            let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--log-level is one of \(known), got \(text).")
        }
        return level
    }

    /// Logs to standard error.
    var logger: Logger {
        Logger(label: "idcard-pipeline") { _ in ConsoleLogHandler(level: self.logLevel, format: .text) }
    }
}
