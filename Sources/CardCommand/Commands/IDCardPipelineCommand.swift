package import ArgumentParser
import CardImaging

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
        version: "0.2.0",
        subcommands: [
            RunCommand.self, WatchCommand.self, ServeCommand.self, TokensCommand.self, StatusCommand.self,
            CardsCommand.self, KeysCommand.self,
            ConfigCommand.self,
            FsckCommand.self, BackupCommand.self, RestoreCommand.self,
            VerifierCommand.self, BackendCommand.self,
        ]
    )

    /// Takes no arguments of its own.
    package init() {}

    /// Runs the command line of this process.
    package static func start() async {
        ProcessSetup.begin()
        DecodingChild.runIfAsked(CommandLine.arguments)
        await self.main()
    }
}
