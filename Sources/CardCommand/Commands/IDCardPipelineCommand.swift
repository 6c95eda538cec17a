package import ArgumentParser
import CardImaging

package struct IDCardPipelineCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "idcard-pipeline",
        abstract:
            "Verifies photos of Chinese resident identity cards and delivers them to a business backend.",
        discussion: """
            Nothing is lost, nothing is sent twice, nothing leaks. Try it without any account:

              idcard-pipeline run fixtures/cards --embedded

            With real endpoints:

              idcard-pipeline config sample      a configuration file to start from
              idcard-pipeline keys init          the key of the sandbox, once
              idcard-pipeline config check       mistakes in the configuration
              idcard-pipeline run FOLDER         cards in FOLDER/BUSINESS-NUMBER/
            """,
        version: "0.2.0",
        subcommands: [
            RunCommand.self, WatchCommand.self, ServeCommand.self, TokensCommand.self, StatusCommand.self,
            CasesCommand.self, CardsCommand.self, KeysCommand.self, ConfigCommand.self,
            FsckCommand.self, BackupCommand.self, RestoreCommand.self,
            VerifierCommand.self, BackendCommand.self,
        ]
    )

    /// Takes no arguments of its own.
    package init() {}

    package static func start() async {
        ProcessSetup.begin()
        DecodingChild.runIfAsked(CommandLine.arguments)
        do {
            var command = try await self.asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            let status = self.exitCode(for: error)
            guard !status.isSuccess else { self.exit(withError: error) }
            // The parser quotes arguments: what a shell makes of `*` may command the terminal.
            let text = self.fullMessage(for: error)
            if !text.isEmpty { Console.standardError(text) }
            await Console.finish()
            self.exit(withError: status)
        }
    }
}
