import ArgumentParser
import CardModel
import CardServer
import Foundation
import Glibc

struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Create, list and revoke the tokens of the clients of serve.",
        discussion: """
            A token is shown once, when it is made; the file (server.tokens_file) holds only hashes. A running server knows \
            of changes at once; one that reads a copy of the file (LoadCredential of systemd) after a restart. In a folder of \
            the service's user, root changes the file as that user. To renew a token without a gap: add one of the same name, \
            hand it over, then take the old one back by its id.

            Scopes: submit (send cards in), read (see own cards, masked, and the metrics), run (start and see runs), review \
            (see all cards, masked; retry and resolve them), reveal (see what is personal, with a purpose), erase, audit (see \
            all cards, masked, and the access log), operate (all of these).
            """,
        subcommands: [Add.self, List.self, Revoke.self]
    )

    struct FileOptions: ParsableArguments {
        @Option(path: ArgumentHelp("The file of tokens (server.tokens_file).", valueName: "file"))
        var tokensFile: String?

        @Option(
            path: ArgumentHelp("The configuration file that names server.tokens_file.", valueName: "file"),
            completion: .file(extensions: ["yaml", "yml"])
        )
        var config: String?

        @Flag(help: "Accepted as serve takes it: the tokens are the same.")
        var embedded = false

        @Option(help: "The format of the report.")
        var format = ReportFormat.text

        private func configuration() throws -> Configuration {
            Console.repeatOptions(config: self.config, embedded: self.embedded)
            return try LoadedConfiguration(file: self.config, embedded: self.embedded, readingFiles: false)
                .configuration
        }

        /// The names of webhook senders; none if the configuration or the secrets cannot be read.
        func senders() -> Set<String> { WebhookSecret.names(of: (try? self.configuration().webhookSecrets()) ?? []) }

        func file() throws -> TokensFile {
            guard let path = try self.tokensFile ?? self.configuration().server.tokensFile else {
                throw CodedError(.settingMissing, .configuration, .tokensNoFile)
            }
            return TokensFile(path: path)
        }
    }

    struct Add: Command {
        static let configuration = CommandConfiguration(
            abstract: "Create a token, and show it once or write it to a file; a name may have several."
        )

        @Argument(help: "The name: letters, digits and ._-; the access log shows it.")
        var name: String

        @Option(
            help: ArgumentHelp(
                "Whose cards it sends and sees, if not those of the name: one for all persons of a branch.",
                valueName: "name"
            )
        )
        var submitter: String?

        @Option(parsing: .upToNextOption, help: "What it may do: one or more of \(TokenScope.known).")
        var scope: [String]

        @Option(help: ArgumentHelp("How many days it is valid; 0 means until revoked.", valueName: "days"))
        var days = 90

        @Option(path: ArgumentHelp("A new file (mode 0600) for the token, which is then not shown.", valueName: "file"))
        var output: String?

        @OptionGroup var options: FileOptions

        func validate() throws {
            for word in self.scope where TokenScope(rawValue: word) == nil {
                throw ValidationError(.tokensUnknownScope(word))
            }
            guard !self.scope.isEmpty else { throw ValidationError(.tokensNoScope) }
            guard 0...3650 ~= self.days else { throw ValidationError(.tokensDays) }
        }

        var reassurance: Message { .tokensNotShown }

        func execute() async throws -> CommandStatus {
            var random = SystemRandomNumberGenerator()
            let now = Date()
            let (token, secret) = try AccessToken.generate(
                name: self.name,
                submitter: self.submitter,
                scopes: Set(self.scope.compactMap(TokenScope.init)),
                expiresAt: self.days == 0 ? nil : now.addingTimeInterval(Double(self.days) * 86_400),
                now: now,
                using: &random
            )
            guard !self.options.senders().contains(token.name) else {
                throw AccessToken.invalid(.tokensIsSender(token.name))
            }
            try self.store(token, secret)
            let expiry = token.expiresAt?.formatted(.iso8601)
            let shown = self.output == nil ? secret.reveal() : nil
            await ObjectReport(
                ["name": token.name, "id": token.id, "expires_at": expiry, "token": shown],
                shown.map { [.textPersonal(Redacted($0))] } ?? []
            )
            .print(self.options.format)
            Console.notice(self.output.map { Message.tokensWritten($0) } ?? .tokensShownOnce)
            Console.notice(token.expiresAt.map { Message.tokensExpire(Timestamp($0)) } ?? .tokensNeverExpire)
            Console.notice(.tokensActive)
            return .delivered
        }

        /// Writes the token to its file, if one is given, and then its record.
        private func store(_ token: AccessToken, _ secret: Redacted<String>) throws {
            let file = try self.options.file()
            // The token's file first: root may become another user before the tokens are changed.
            if let output {
                try DurableFile.create(output, with: Array("\(secret.reveal())\n".utf8))
                try DurableFile.synchroniseFolder(DurableFile.folder(of: output))
            }
            do {
                try file.change { $0.append(token) }
            } catch {
                // The token was not stored, so it is not valid.
                if let output { unlink(output) }
                throw error
            }
        }
    }

    struct List: Command {
        static let configuration = CommandConfiguration(
            abstract: "List the tokens: ids, names, scopes and times, never the tokens themselves."
        )

        @OptionGroup var options: FileOptions

        func execute() async throws -> CommandStatus {
            let tokens = try self.options.file().readForUpkeep()
            let reports = tokens.map { token in
                let (start, expiry) = (token.createdAt.formatted(.iso8601), token.expiresAt?.formatted(.iso8601))
                let scopes = token.scopes.sorted().map(\.rawValue)
                let since = Timestamp(token.createdAt)
                let validity =
                    token.expiresAt.map { Message.tokensValid(since, until: Timestamp($0)) }
                    ?? .tokensValidAlways(since)
                let submitter = token.submitter ?? token.name
                let shown = token.submitter.map { "\(token.name) (\($0))" } ?? token.name
                let columns = "\(token.id)  \(shown)  \(scopes.joined(separator: ","))  "
                return ObjectReport(
                    [
                        "id": token.id, "name": token.name, "submitter": submitter, "scopes": scopes,
                        "created_at": start,
                        "expires_at": expiry,
                    ],
                    [.textBehind(columns, validity)]
                )
            }
            await reports.print(self.options.format)
            return .delivered
        }
    }

    struct Revoke: Command {
        static let configuration = CommandConfiguration(
            abstract: "Revoke the tokens of a name, or one of them; a running server refuses them at once."
        )

        @Argument(help: "The name of the tokens.")
        var name: String

        @Option(help: ArgumentHelp("The id of the token to revoke, as tokens list shows it.", valueName: "8hex"))
        var id: String?

        @OptionGroup var options: FileOptions

        func validate() throws {
            guard self.id.map({ $0.wholeMatch(of: /[0-9a-f]{8}/) != nil }) ?? true else {
                throw ValidationError(.tokensID)
            }
        }

        func execute() async throws -> CommandStatus {
            let file = try self.options.file()
            func isMeant(_ token: AccessToken) -> Bool { token.name == self.name && token.id == self.id ?? token.id }
            try file.change { (tokens: inout [AccessToken]) throws(CodedError) in
                guard tokens.contains(where: isMeant) else {
                    let list = Redacted(file.command("list"))
                    throw CodedError.notFound(
                        self.id.map { Message.tokensUnknownID($0, list) } ?? .tokensUnknownName(list)
                    )
                }
                tokens.removeAll(where: isMeant)
            }
            Console.notice(.tokensActive)
            return .delivered
        }
    }
}
