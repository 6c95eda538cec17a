import ArgumentParser
import CardModel
import Foundation
import Logging

/// The options every command that touches the sandbox or an endpoint takes.
struct GlobalOptions: ParsableArguments {
    /// The configuration file.
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The configuration file.",
            discussion: """
                Without it: the file that IDCARD_CONFIG names, else $XDG_CONFIG_HOME/idcard-pipeline/idcard-pipeline.yaml \
                if it exists.
                """,
            valueName: "file"
        ),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var config: String?

    /// The folder of the sandbox.
    @Option(
        name: .long,
        help: ArgumentHelp("The folder of the sandbox (sandbox.path).", valueName: "dir"),
        completion: .directory
    )
    var sandbox: String?

    /// Whether the built-in endpoints take the place of the configured ones.
    @Flag(name: .long, help: "Use the built-in verifier and business backend, with a sandbox of their own.")
    var embedded = false

    /// Takes what the command line says.
    init() {}
}

extension GlobalOptions {
    /// What these options set, by the names of their keys.
    private var settings: [String: String] { self.sandbox.map { ["sandbox.path": $0] } ?? [:] }

    /// Loads the configuration as these options ask.
    func loadConfiguration(requiringRemotes: Bool) throws(ConfigurationError) -> Configuration {
        try self.load(requiringRemotes: requiringRemotes).configuration
    }

    /// Loads the configuration with the sources of its values.
    ///
    /// - Parameter further: what other options of the command line set, by the names of their keys.
    func load(
        requiringRemotes: Bool,
        _ further: [String: String] = [:]
    ) throws(ConfigurationError) -> LoadedConfiguration {
        try ConfigurationLoader.load(
            file: self.config,
            environment: ProcessInfo.processInfo.environment,
            options: self.settings.merging(further) { $1 },
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
