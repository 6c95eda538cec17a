package import ArgumentParser

/// `config check` and `config show`.
package struct ConfigCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check the configuration, or show it with secrets masked.",
        subcommands: [Check.self, Show.self]
    )

    /// Takes no arguments of its own.
    package init() {}

    /// How a report is written.
    package enum ReportFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
        /// Lines for people.
        case text
        /// One JSON object.
        case json
    }

    /// What a configuration that cannot be used ends with (`EX_CONFIG`).
    static let unusable = CommandStatus.configuration.exitCode

    /// Ends the command if its report could not be written.
    ///
    /// - Throws: the exit code of an output error (`EX_IOERR`).
    static func finishOutput() throws(ExitCode) {
        if let status = Console.finish(consolation: "the report is not complete") { throw status.exitCode }
    }
}

extension ConfigCommand {
    /// Says whether `run` could start, and everything that is wrong or doubtful.
    package struct Check: ParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Check the configuration as `run` would use it.",
            discussion: "Ends with 78 if anything is wrong. Contacts nobody."
        )

        @OptionGroup private var options: GlobalOptions

        @Option(name: .long, help: "How to write the report.")
        private var format = ReportFormat.text

        /// Takes what the command line says.
        package init() {}

        package func run() throws {
            let outcome = Result { () throws(ConfigurationError) in
                let configuration = try self.options.loadConfiguration(requiringRemotes: true)
                // Certificates that do not hold are found before a run finds them.
                if !configuration.embedded { _ = try RemoteServices(configuration) }
                return configuration
            }
            switch self.format {
            case .text: Console.standardOutput(ConfigurationReport.check(outcome))
            case .json: Console.standardOutput(try ConfigurationReport.checkJSON(outcome))
            }
            try ConfigCommand.finishOutput()
            if case .failure = outcome { throw ConfigCommand.unusable }
        }
    }

    /// Shows every key with its effective value and where that comes from.
    package struct Show: ParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show every key with its effective value and its source.",
            discussion: "Secrets are shown as <set> or <unset>. Ends with 78 if a value cannot be read."
        )

        @OptionGroup private var options: GlobalOptions

        @Option(name: .long, help: "How to write the list.")
        private var format = ReportFormat.text

        /// Takes what the command line says.
        package init() {}

        package func run() throws {
            let configuration: AppConfiguration
            do {
                configuration = try self.options.loadConfiguration(requiringRemotes: false)
            } catch {
                Console.standardError(ConfigurationReport.problems(error))
                throw ConfigCommand.unusable
            }
            switch self.format {
            case .text: Console.standardOutput(ConfigurationReport.show(configuration))
            case .json: Console.standardOutput(try ConfigurationReport.showJSON(configuration))
            }
            try ConfigCommand.finishOutput()
        }
    }
}
