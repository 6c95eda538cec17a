package import ArgumentParser
import Foundation

/// `keys init` and `keys rotate`.
package struct KeysCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make the key of the sandbox, or replace it.",
        discussion: """
            Images and fields in the sandbox are encrypted: every card has a key of its own, and these are wrapped by a key that lies outside the sandbox, \
            in a file of mode 0600 (vault.key_file), in the environment (IDCARD_VAULT_KEY), or with a command (vault.key_command). Without it nobody can read \
            the sandbox: keep a copy in another place.
            """,
        subcommands: [Init.self, Rotate.self]
    )

    /// Takes no arguments of its own.
    package init() {}
}

extension KeysCommand {
    /// Makes a key file.
    package struct Init: AsyncParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "init",
            abstract: "Make a file with a new key.",
            discussion: "The file has mode 0600; one that is there already is never replaced."
        )

        @Option(
            name: .long,
            help: ArgumentHelp(
                "Where to make it.",
                discussion: "Without it: where vault.key_file says, else $XDG_CONFIG_HOME/idcard-pipeline/vault.key, "
                    + "which is used without further configuration.",
                valueName: "file"
            ),
            completion: .file()
        )
        var keyFile: String?

        @Option(name: .long, help: "The form of the report.")
        var format = ConfigCommand.ReportFormat.text

        @Option(
            name: .long,
            help: ArgumentHelp("The configuration file whose vault.key_file counts.", valueName: "file"),
            completion: .file(extensions: ["yaml", "yml"])
        )
        var config: String?

        /// Takes what the command line says.
        package init() {}

        package func run() async throws {
            let status: CommandStatus
            do {
                let environment = ProcessInfo.processInfo.environment
                let made = try KeyMaking(named: self.keyFile, config: self.config, environment: environment).run()
                switch self.format {
                case .text: for line in made.lines { Console.standardOutput(line) }
                case .json: Console.standardOutput(JSONText.document(made))
                }
                status = .delivered
            } catch {
                status = CommandFailure(error).report()
            }
            let final = Console.finish(consolation: "the key file is made") ?? status
            if final != .delivered { throw final.exitCode }
        }
    }
}

extension KeysCommand {
    /// Replaces the key.
    package struct Rotate: AsyncParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Replace the key of the sandbox in two steps, while other processes may work on it.",
            discussion: """
                `keys rotate` adds a new key to the key file and announces it; the old one stays in use. With vault.key or vault.key_command: let these give the \
                new key first and the old one second, then run this. Every process that works on the sandbox reads where its keys come from within seconds; one \
                that has a copy of the key (LoadCredential, IDCARD_VAULT_KEY) needs the new copy and a restart.

                `keys rotate --finish` starts using the new key, wraps the keys of all cards under it, and moves the old key to FILE.retired-ID, for old backups. \
                It ends with 75 and names the process while a living one does not have the new key; with --force it starts all the same, and such a process answers \
                503 until it has the key.

                A step that was cut short goes on where it was when it is run again; only when both are done does another rotation begin.
                """
        )

        @Option(name: .long, help: "The form of the report.")
        var format = ConfigCommand.ReportFormat.text

        @Flag(name: .long, help: "Start using the key that was announced.")
        var finish = false

        @Flag(name: .long, help: "With --finish: also while a living process does not have the new key.")
        var force = false

        @Flag(name: [.long, .short], help: "No progress on standard error.")
        var quiet = false

        @OptionGroup var options: GlobalOptions

        /// Takes what the command line says.
        package init() {}

        package func validate() throws {
            guard self.finish || !self.force else {
                throw ValidationError(
                    "--force goes with --finish: only starting to use a key can leave a process behind."
                )
            }
        }

        package func run() async throws {
            let status: CommandStatus
            do {
                let configuration = try self.options.loadConfiguration(requiringRemotes: false)
                let step: KeyRotation.Step = self.finish ? .finish(isForced: self.force) : .announce
                let isQuiet = self.quiet
                let report = try await KeyRotation(configuration: configuration, step: step) { done, total in
                    if !isQuiet { Console.standardError("rewrapped \(done) of \(total) keys") }
                }
                .run()
                switch self.format {
                case .text: for line in report.lines { Console.standardOutput(line) }
                case .json: Console.standardOutput(JSONText.document(report))
                }
                status = report.damaged == 0 ? .delivered : .someNotDelivered
            } catch {
                status = CommandFailure(error).report()
            }
            let final = Console.finish() ?? status
            if final != .delivered { throw final.exitCode }
        }
    }
}
