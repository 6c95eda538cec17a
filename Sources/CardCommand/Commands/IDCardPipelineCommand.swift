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

    // Declared only for the help: `start` removes it from the arguments, at any position, before they are parsed.
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
            // Swift reads the arguments from /proc; without it even the name of the program is missing.
            if CommandLine.arguments.isEmpty { throw CodedError(.noArguments, .configuration, .commandNoArguments) }
            if let asked = Language.removeOption(from: &arguments) { try Language.choose(asked) }
            var command = try await self.asyncParseAsRoot(arguments)
            if !type(of: command).configuration.subcommands.isEmpty { throw ValidationError(.commandMissing) }
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            await self.finish(after: error)
        }
    }

    /// Prints an error, or the help that was asked for, in the language of the process, and exits.
    private static func finish(after error: any Error) async -> Never {
        if let error = error as? CodedError {
            Console.error(error.message)
            await Console.finish()
            self.exit(withError: ExitCode(CommandStatus.configuration.rawValue))
        }
        let status = self.exitCode(for: error)
        let translated = MessageCatalogue.current.language == .english ? nil : try? CommandTree(self._dumpHelp())
        let help = translated.map { TranslatedHelp(tree: $0, catalogue: .current) }
        var text = self.fullMessage(for: error)
        guard status.isSuccess else {
            if let help { text = help.error(from: text) }
            // The parser quotes arguments: a file name from `*` may hold terminal control characters.
            if !text.isEmpty { Console.standardError(text) }
            await Console.finish()
            self.exit(withError: status)
        }
        guard let help, text.contains("USAGE: ") else { self.exit(withError: error) }
        await Console.standardOutput(help.help(from: text))
        self.exit(withError: nil)
    }
}

/// Sets up the process before anything else runs.
enum ProcessSetup {
    /// Sets signals, opens closed standard streams, protects memory and files, and raises the limit of open files.
    static func begin() {
        // Otherwise a reader that exits (`| head`) would kill a run; now writing returns EPIPE.
        signal(SIGPIPE, SIG_IGN)
        // Beyond a limit on file sizes, writing returns EFBIG, which counts as a full disk.
        signal(SIGXFSZ, SIG_IGN)
        // The parent may have ignored SIGCHLD; then this process could not wait for its children.
        signal(SIGCHLD, SIG_DFL)
        // A closed descriptor 0, 1 or 2 would be given to the next file opened, and a report would be written into the
        // sandbox. `open` takes the lowest free descriptor, which is this one.
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDWR)
        }
        // Files and folders are accessible to their owner only, whatever umask was inherited.
        umask(0o077)
        // No core dumps and no backtraces: a backtrace prints memory around registers, which may hold a name.
        // `SWIFT_BACKTRACE` in the environment still enables backtraces. A refusal of the kernel leaves nothing else to do.
        _ = DecodingChild.refuseDumps()
        if getenv("SWIFT_BACKTRACE") == nil {
            let signals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP]
            for number in signals { signal(number, SIG_DFL) }
        }
        // The usual limit of 1,024 open files only protects programs that use `select(2)`.
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 65_536))
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
