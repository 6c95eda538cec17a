import CardModel
import CardStore
import Foundation
import Logging

extension GlobalOptions {
    /// What these options set, by the names of their keys.
    private var settings: [String: String] { self.sandbox.map { ["sandbox.path": $0] } ?? [:] }

    /// Loads the configuration as these options ask.
    func loadConfiguration(requiringRemotes: Bool) throws(ConfigurationError) -> Configuration {
        try self.load(requiringRemotes: requiringRemotes).configuration
    }

    /// Loads the configuration with the sources of its values.
    func load(requiringRemotes: Bool) throws(ConfigurationError) -> LoadedConfiguration {
        try ConfigurationLoader.load(
            file: self.config,
            environment: ProcessInfo.processInfo.environment,
            options: self.settings,
            embedded: self.embedded,
            requiringRemotes: requiringRemotes
        )
    }
}

extension Configuration {
    /// The logger of one run.
    func logger(runID: String) -> Logger {
        let (level, format) = (self.logLevel, self.logFormat)
        var logger = Logger(label: "idcard-pipeline") { _ in ConsoleLogHandler(level: level, format: format) }
        logger[metadataKey: "run.id"] = "\(runID)"
        return logger
    }
}
