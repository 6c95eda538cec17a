import ArgumentParser

/// The options every command that touches the sandbox or an endpoint takes.
struct GlobalOptions: ParsableArguments {
    /// The configuration file.
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The configuration file.",
            discussion: """
                Without it: the file that IDCARD_CONFIG names, else $XDG_CONFIG_HOME/idcard-pipeline-next/idcard-pipeline.yaml \
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
