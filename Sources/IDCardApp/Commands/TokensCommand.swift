package import ArgumentParser
import Foundation
import IDCardServer

/// `tokens add`, `tokens list` and `tokens revoke`.
package struct TokensCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Say who may ask `serve`.",
        discussion: """
            A token is shown once, when it is made; the file (server.tokens_file) holds only hashes. A running server takes changes over at SIGHUP (`systemctl reload`), from the very file that it reads: one that was copied at its start, such as a credential of systemd, changes with a restart only. Root changes the file of the service's user, and it stays that user's.

            Scopes: submit (send cards in, start runs), read (look at cards, runs and figures), operate (retry, resolve, erase, reveal).
            """,
        subcommands: [Add.self, List.self, Revoke.self]
    )

    /// Takes no arguments of its own.
    package init() {}

    /// The options of all.
    struct FileOptions: ParsableArguments {
        @Option(
            name: .long,
            help: ArgumentHelp("The file of tokens (server.tokens_file).", valueName: "file"),
            completion: .file()
        )
        var tokensFile: String?

        @Option(
            name: .long,
            help: ArgumentHelp("The configuration file whose server.tokens_file counts.", valueName: "file"),
            completion: .file(extensions: ["yaml", "yml"])
        )
        var config: String?

        @Option(name: .long, help: "The form of the report.")
        var format = ConfigCommand.ReportFormat.text

        func file() throws -> TokensFile {
            if let path = self.tokensFile { return TokensFile(path: path) }
            let configuration = try AppConfiguration.load(
                file: self.config,
                overrides: [:],
                environment: ProcessInfo.processInfo.environment,
                readingFiles: false
            )
            guard let path = configuration.server.tokensFile else {
                throw ConfigurationError([
                    .init(
                        .missing,
                        key: "server.tokens_file",
                        "server.tokens_file has no default because neither HOME nor XDG_CONFIG_HOME is set; give --tokens-file FILE"
                    )
                ])
            }
            return TokensFile(path: path)
        }
    }
}

extension TokensCommand {
    /// Makes a token.
    package struct Add: AsyncParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Make a token, and show it this once."
        )

        @Argument(help: "What it is called: letters, digits, `.`, `_`, `-`. The access log names it.")
        var name: String

        @Option(name: .long, parsing: .upToNextOption, help: "What it may do: submit, read, operate; several.")
        var scope: [String]

        @Option(
            name: .long,
            help: ArgumentHelp("How many days it works; without it: until revoked.", valueName: "days")
        )
        var days: Int?

        @OptionGroup var options: FileOptions

        /// Takes what the command line says.
        package init() {}

        package func validate() throws {
            let known = TokenScope.allCases.map(\.rawValue)
            for word in self.scope where !known.contains(word) {
                throw ValidationError("--scope \(word) is not known; there are \(known.joined(separator: ", ")).")
            }
            guard !self.scope.isEmpty else {
                throw ValidationError("--scope is missing: a token that may nothing is of no use.")
            }
            if let days = self.days, !(1...3650).contains(days) {
                throw ValidationError("--days \(days) is out of range; 1 to 3650.")
            }
        }

        package func run() async throws {
            let status: CommandStatus
            do {
                var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
                let now = Date()
                let file = try self.options.file()
                try TokensCommand.makeFolder(of: file)
                let token = try file.add(
                    self.name,
                    scopes: Set(self.scope.compactMap(TokenScope.init)),
                    expiresAt: self.days.map { now.addingTimeInterval(Double($0) * 86_400) },
                    now: now,
                    using: &random
                )
                switch self.options.format {
                case .text: Console.standardOutput(token.reveal())
                case .json: Console.standardOutput(JSONText.document(["name": self.name, "token": token.reveal()]))
                }
                Console.standardError("this is shown once; a running server knows it after SIGHUP")
                status = .delivered
            } catch {
                status = CommandFailure(error).report()
            }
            let final = Console.finish(consolation: "the token is made; revoke it if nobody has read it") ?? status
            if final != .delivered { throw final.exitCode }
        }
    }

    /// Lists tokens.
    package struct List: AsyncParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List who may ask: names, scopes and times, never tokens."
        )

        @OptionGroup var options: FileOptions

        /// Takes what the command line says.
        package init() {}

        package func run() async throws {
            let status: CommandStatus
            do {
                let lines = try self.options.file().readForUpkeep().map(TokenLine.init)
                switch self.options.format {
                case .text: for line in lines { Console.standardOutput(line.text) }
                case .json: Console.standardOutput(JSONText.document(lines))
                }
                status = .delivered
            } catch {
                status = CommandFailure(error).report()
            }
            let final = Console.finish() ?? status
            if final != .delivered { throw final.exitCode }
        }
    }

    /// Takes a token back.
    package struct Revoke: AsyncParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Take a token back; a running server refuses it after SIGHUP."
        )

        @Argument(help: "The name of the token.")
        var name: String

        @OptionGroup var options: FileOptions

        /// Takes what the command line says.
        package init() {}

        package func run() async throws {
            var status = CommandStatus.delivered
            do {
                if try !self.options.file().revoke(self.name) {
                    Console.standardError("error: there is no token of this name; `tokens list` shows them")
                    status = .inputUnreadable
                } else {
                    Console.standardError(
                        "a running server refuses it after SIGHUP; one that reads a copy of the file, after a restart"
                    )
                }
            } catch {
                status = CommandFailure(error).report()
            }
            if status != .delivered { throw status.exitCode }
        }
    }

    /// Makes the folder of the file, for its owner alone.
    fileprivate static func makeFolder(of file: TokensFile) throws {
        try FileManager.default.createDirectory(
            at: URL(filePath: file.path).deletingLastPathComponent(),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }
}
