import ArgumentParser
import CardModel
import CardServer
import Foundation

struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Make, list and take back the tokens of those who may call serve.",
        discussion: """
            A token is shown once, when it is made; the file (server.tokens_file) holds only hashes. A running server takes \
            changes over at SIGHUP: systemctl reload idcard-pipeline. In a folder of the service's user, root changes the file \
            as that user.

            Scopes: submit (send cards in, start runs), read (look at cards, runs and figures), operate (retry, resolve, \
            erase, reveal).
            """,
        subcommands: [Add.self, List.self, Revoke.self]
    )

    struct FileOptions: ParsableArguments {
        @Option(
            help: ArgumentHelp("The file of tokens (server.tokens_file).", valueName: "file"),
            completion: .file(),
            transform: path
        )
        var tokensFile: String?

        @Option(
            help: ArgumentHelp("The configuration file whose server.tokens_file counts.", valueName: "file"),
            completion: .file(extensions: ["yaml", "yml"]),
            transform: path
        )
        var config: String?

        @Option(help: "The form of the report.")
        var format = ReportFormat.text

        func file() throws -> TokensFile {
            if let path = self.tokensFile { return TokensFile(path: path) }
            let environment = ProcessInfo.processInfo.environment
            let loaded = try LoadedConfiguration(
                file: self.config,
                environment: environment,
                readingFiles: false
            )
            guard let path = loaded.configuration.server.tokensFile else {
                throw CodedError(
                    .settingMissing,
                    .configuration,
                    """
                    server.tokens_file has no default, because neither HOME nor XDG_CONFIG_HOME is set; give \
                    --tokens-file FILE
                    """
                )
            }
            return TokensFile(path: path)
        }
    }

    struct Add: Command {
        static let configuration = CommandConfiguration(abstract: "Make a token, and show it this once.")

        private struct Made: Report {
            let name: String
            let token: String
            var lines: [String] { [self.token] }
        }

        @Argument(help: "What it is called: letters, digits and ._-; the access log names it.")
        var name: String

        @Option(parsing: .upToNextOption, help: "What it may do; several of \(TokenScope.known).")
        var scope: [String]

        @Option(help: ArgumentHelp("How many days it works; without it: until revoked.", valueName: "days"))
        var days: Int?

        @OptionGroup var options: FileOptions

        func validate() throws {
            for word in self.scope where TokenScope(rawValue: word) == nil {
                throw ValidationError("--scope \(word) is not known; there are \(TokenScope.known).")
            }
            guard !self.scope.isEmpty else {
                throw ValidationError("--scope is missing: a token that may do nothing is of no use.")
            }
            guard self.days.map({ 1...3650 ~= $0 }) ?? true else {
                throw ValidationError("--days is a number from 1 to 3650.")
            }
        }

        var consolation: String { "the token is made; revoke it if nobody has read it" }

        func execute() async throws -> CommandStatus {
            var random = SystemRandomNumberGenerator()
            let now = Date()
            let (token, secret) = try AccessToken.generate(
                name: self.name,
                scopes: Set(self.scope.compactMap(TokenScope.init)),
                expiresAt: self.days.map { now.addingTimeInterval(Double($0) * 86_400) },
                now: now,
                using: &random
            )
            let file = try self.options.file()
            try file.change { (tokens: inout [AccessToken]) throws(CodedError) in
                guard !tokens.contains(where: { $0.name == token.name }) else {
                    throw AccessToken.invalid(
                        """
                        there is a token of the name \(token.name) already; choose another, or take that one back: \
                        \(Redacted(file.command("revoke \(token.name)")))
                        """
                    )
                }
                tokens.append(token)
            }
            await Made(name: token.name, token: secret.reveal()).print(self.options.format)
            Console.standardError("this is shown once; a running server knows it after SIGHUP")
            return .delivered
        }
    }

    struct List: Command {
        static let configuration = CommandConfiguration(
            abstract: "List the tokens: names, scopes and times, never the tokens themselves."
        )

        private struct Line: ReportLine {
            let name: String
            let scopes: [String]
            let createdAt: String
            @Nullable var expiresAt: String?

            var text: String {
                let end = self.expiresAt.map { "until \($0)" } ?? "until revoked"
                return "\(self.name)  \(self.scopes.joined(separator: ","))  since \(self.createdAt), \(end)"
            }
        }

        @OptionGroup var options: FileOptions

        func execute() async throws -> CommandStatus {
            let tokens = try self.options.file().readForUpkeep()
            let lines = tokens.map { token in
                Line(
                    name: token.name,
                    scopes: token.scopes.sorted().map(\.rawValue),
                    createdAt: token.createdAt.formatted(.iso8601),
                    expiresAt: token.expiresAt?.formatted(.iso8601)
                )
            }
            await lines.print(self.options.format)
            return .delivered
        }
    }

    struct Revoke: Command {
        static let configuration = CommandConfiguration(
            abstract: "Take a token back; a running server refuses it after SIGHUP."
        )

        @Argument(help: "The name of the token.")
        var name: String

        @OptionGroup var options: FileOptions

        func execute() async throws -> CommandStatus {
            let name = self.name
            let file = try self.options.file()
            try file.change { (tokens: inout [AccessToken]) throws(CodedError) in
                guard tokens.contains(where: { $0.name == name }) else {
                    throw CodedError.notFound(
                        "there is no token of this name; see those there are: \(Redacted(file.command("list")))"
                    )
                }
                tokens.removeAll { $0.name == name }
            }
            Console.standardError(
                "a running server refuses it after SIGHUP; one that reads a copy of the file, after a restart"
            )
            return .delivered
        }
    }
}
