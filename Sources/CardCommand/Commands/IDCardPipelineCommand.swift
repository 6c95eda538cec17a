package import ArgumentParser
import CardImaging
import CardModel
import Foundation
import Glibc

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
        version: Build.text,
        subcommands: [
            RunCommand.self, WatchCommand.self, ServeCommand.self, TokensCommand.self, StatusCommand.self,
            CasesCommand.self, CardsCommand.self, ReviewCommand.self, KeysCommand.self, ConfigCommand.self,
            ResumeCommand.self, FsckCommand.self, BackupCommand.self, RestoreCommand.self,
            VerifierCommand.self, BackendCommand.self,
        ]
    )

    // Taken out of the arguments before these are parsed, wherever it stands; declared for the help alone.
    @Option(
        help: ArgumentHelp(
            "The language of what people read: en or zh (Simplified Chinese); with every command.",
            discussion: "Default: the key language of the configuration, else LC_ALL, LC_MESSAGES or LANG.",
            valueName: "language"
        )
    )
    var lang: String?

    package init() {}

    package static func start() async {
        ProcessSetup.begin()
        DecodingChild.runIfAsked(CommandLine.arguments)
        let environment = ProcessInfo.processInfo.environment
        MessageCatalogue.speak(Language(environment: environment).catalogue)
        var arguments = Array(CommandLine.arguments.dropFirst())
        do {
            // Swift reads them there, and finds not even the name of the program.
            if CommandLine.arguments.isEmpty { throw CodedError(.noArguments, .configuration, .commandNoArguments) }
            if let asked = Language.take(from: &arguments) { try Language.choose(asked) }
            var command = try await self.asyncParseAsRoot(arguments)
            if !type(of: command).configuration.subcommands.isEmpty { throw ValidationError(.commandMissing) }
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            await self.end(error)
        }
    }

    private static func end(_ error: any Error) async -> Never {
        if let error = error as? CodedError {
            Console.error(error.message)
            await Console.finish()
            self.exit(withError: ExitCode(CommandStatus.configuration.rawValue))
        }
        let status = self.exitCode(for: error)
        let translated = MessageCatalogue.current.language == .english ? nil : CommandTree(self._dumpHelp())
        let help = translated.map { TranslatedHelp(tree: $0, catalogue: .current) }
        var text = self.fullMessage(for: error)
        guard status.isSuccess else {
            if let help { text = help.error(from: text) }
            // The parser quotes arguments: what a shell makes of `*` may command the terminal.
            if !text.isEmpty { Console.standardError(text) }
            await Console.finish()
            self.exit(withError: status)
        }
        guard let help, text.contains("USAGE: ") else { self.exit(withError: error) }
        await Console.standardOutput(help.help(from: text))
        self.exit(withError: nil)
    }
}

/// Makes the process safe before anything else runs.
enum ProcessSetup {
    /// Fills closed standard streams, keeps memory and files from others, and lets glibc give memory back.
    static func begin() {
        // A reader that goes away (`| head`) must not kill a run half-way: writing answers EPIPE instead.
        signal(SIGPIPE, SIG_IGN)
        // Beyond a limit on file sizes writing answers EFBIG, which is a full disk to us.
        signal(SIGXFSZ, SIG_IGN)
        // Ignored by who started us, the ends of our own children could not be waited for.
        signal(SIGCHLD, SIG_DFL)
        // A descriptor 0, 1 or 2 that is closed would be given to the next file opened, and a report would be written into the
        // sandbox. The lowest free descriptor is taken, which is this one.
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDWR)
        }
        // Files and folders are for their owner alone, whatever umask we were started with.
        umask(0o077)
        // No core dumps and no backtraces: those quote memory around registers, which may be a name. `SWIFT_BACKTRACE` in the
        // environment asks for them all the same. Where the kernel refuses, nothing more can be done.
        _ = DecodingChild.refuseDumps()
        if getenv("SWIFT_BACKTRACE") == nil {
            let signals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]
            for number in signals { signal(number, SIG_DFL) }
        }
        // The usual 1,024 open files are for programs that wait by `select(2)`.
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65_536))
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
