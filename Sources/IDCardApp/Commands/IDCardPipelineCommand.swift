package import ArgumentParser

/// The root of the command line.
package struct IDCardPipelineCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "idcard-pipeline",
        abstract:
            "Takes photos of Chinese resident identity cards to a verification service and on to the business backend.",
        discussion: """
            Nothing is lost, nothing is sent twice, nothing leaks. Try it without any account:

              idcard-pipeline run fixtures/cards --embedded
            """,
        version: "0.1.0",
        subcommands: [
            RunCommand.self, WatchCommand.self, ServeCommand.self, TokensCommand.self, StatusCommand.self,
            CardsCommand.self, KeysCommand.self, ConfigCommand.self,
            VerifierCommand.self, BackendCommand.self, FsckCommand.self, BackupCommand.self, RestoreCommand.self,
        ]
    )

    /// Takes no arguments of its own.
    package init() {}
}
