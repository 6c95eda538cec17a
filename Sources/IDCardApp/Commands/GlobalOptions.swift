package import ArgumentParser
import Foundation

/// The options every command that touches the sandbox or an endpoint takes.
package struct GlobalOptions: ParsableArguments {
    /// The configuration file.
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The configuration file.",
            discussion: "Without it: the file that IDCARD_CONFIG names, else "
                + "$XDG_CONFIG_HOME/idcard-pipeline/idcard-pipeline.yaml if it exists.",
            valueName: "file"
        ),
        completion: .file(extensions: ["yaml", "yml"])
    )
    package var config: String?

    /// The folder of the sandbox.
    @Option(
        name: .long,
        help: ArgumentHelp("The folder of the sandbox (sandbox.path).", valueName: "dir"),
        completion: .directory
    )
    package var sandbox: String?

    /// Whether the built-in endpoints take the place of the configured ones.
    @Flag(name: .long, help: "Use the built-in verifier and business backend, with a sandbox of their own.")
    package var embedded = false

    /// Takes what the command line says.
    package init() {}

    /// The options that set a configuration key, by key path.
    package var overrides: [String: String] {
        var overrides: [String: String] = [:]
        overrides["sandbox.path"] = self.sandbox
        return overrides
    }

    /// Loads the configuration as these options ask.
    ///
    /// - Parameters:
    ///   - requiringRemotes: whether the outside services must be known.
    ///   - environment: the variables of the process.
    package func loadConfiguration(
        requiringRemotes: Bool,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationError) -> AppConfiguration {
        try AppConfiguration.load(
            file: self.config,
            overrides: self.overrides,
            environment: environment,
            embedded: self.embedded,
            requiringRemotes: requiringRemotes,
            // Looking, saving and deciding call nobody.
            readingFiles: requiringRemotes
        )
    }
}
