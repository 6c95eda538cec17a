import CardModel
import CardServer
import CardStore
import Foundation
import Glibc
import Logging
import Synchronization
import SystemPackage

/// The file of valid tokens (`server.tokens_file`), with a hash of each; only its owner may have rights to it.
struct TokensFile: Sendable {
    private static let key = "server.tokens_file"

    let path: String

    /// The command for this file with the given words.
    func command(_ words: String) -> String {
        "idcard-pipeline tokens \(words) --tokens-file \(self.path.quotedForShell)"
    }

    /// Reads the tokens; none if there is no file.
    ///
    /// - Throws: `secret_insecure`, `secret_unreadable`, `token_invalid`.
    func read() throws(CodedError) -> [AccessToken] {
        var status = stat()
        if lstat(self.path, &status) != 0, errno == ENOENT { return [] }
        let text = try SecretFile(path: self.path, key: Self.key).readText(expected: .secretExpectsTokens)
        return try AccessToken.tokens(in: Data(text.reveal().utf8))
    }

    /// Why a token with the name of a webhook sender is refused.
    func refusal(of name: String) -> Message { .tokensSenderName(Self.key, name, self.command("revoke \(name)")) }

    /// Reads the tokens for maintenance: in the folder of the service's user, root becomes that user.
    ///
    /// - Throws: as ``read()``.
    func readForUpkeep() throws(CodedError) -> [AccessToken] {
        try SandboxOwner.become(of: DurableFile.folder(of: KeyFile.resolved(self.path)))
        var status = stat()
        // The server could not read a file that root created in its place.
        guard geteuid() != 0 || stat(self.path, &status) != 0 || status.st_uid == 0 else {
            throw self.error(.tokensFileOwner(Int(status.st_uid)))
        }
        return try self.read()
    }

    /// Changes the file completely or not at all; of two processes one waits for the other.
    ///
    /// - Throws: as ``read()``; `file_not_written`; what the body throws.
    func change(_ body: (inout [AccessToken]) throws(CodedError) -> Void) throws {
        let path = KeyFile.resolved(self.path)
        let folder = DurableFile.folder(of: path)
        // A folder created by root would not belong to the user.
        try SandboxOwner.become(of: folder)
        try DurableFile.makeFolders(folder, mode: 0o700)
        let lock = try DurableFile.lock(folder)
        defer { close(lock) }
        var tokens = try self.readForUpkeep()
        try body(&tokens)
        let content = try AccessToken.content(of: tokens)
        guard content.count <= SecretFile.maximumBytes else { throw self.error(.tokensTooLong) }
        try DurableFile.replace(path, with: Array(content))
    }

    private func error(_ what: Message) -> CodedError {
        CodedError(.secretUnreadable, .configuration, .tokensFile(Self.key, self.path, what))
    }
}

/// The present tokens: each request checks their file, and a changed file is read again, so that a revoked token is
/// refused at once. A token with the name of a webhook sender is refused, too.
final class LiveTokens: Sendable {
    private struct State {
        /// Secrets whose names no token may have.
        var secrets: [WebhookSecret]
        /// The identity of the file when it was read.
        var mark: Result<FileIdentity, Errno>?
        var outcome = Result<[AccessToken], CodedError>.success([])
    }

    private let file: TokensFile
    private let logger: Logger
    private let report: @Sendable (TokenIssue) -> Void
    private let state: Mutex<State>

    /// Returns `nil` without a path for the file.
    ///
    /// - Parameter report: gets the issues of the tokens each time they were read.
    init?(
        _ configuration: Configuration,
        apartFrom secrets: [WebhookSecret],
        logger: Logger,
        report: @escaping @Sendable (TokenIssue) -> Void
    ) {
        guard let path = configuration.server.tokensFile else { return nil }
        self.file = TokensFile(path: path)
        self.logger = logger
        self.report = report
        self.state = Mutex(State(secrets: secrets))
        self.state.withLock { self.refresh(&$0) }
    }

    /// - Throws: the error of ``TokensFile/read()``, which was logged once.
    func current() throws(CodedError) -> [AccessToken] {
        try self.state.withLock { state in
            self.refresh(&state)
            return state.outcome
        }.get()
    }

    /// Sets the secrets of webhook senders: their names decide which tokens are usable.
    func keepApart(from secrets: [WebhookSecret]) {
        self.state.withLock { state in
            guard secrets != state.secrets else { return }
            (state.secrets, state.mark) = (secrets, nil)
            self.refresh(&state)
        }
    }

    private func refresh(_ state: inout State) {
        // Before reading: a change meanwhile is found the next time.
        let mark = Self.mark(of: self.file.path)
        guard state.mark != mark else { return }
        state.mark = mark
        do throws(CodedError) {
            let tokens = try self.file.read()
            let (usable, namedLikeSenders) = tokens.apart(from: state.secrets)
            state.outcome = .success(usable)
            self.logger.notice("tokens read")
            for name in namedLikeSenders { Console.warn(self.file.refusal(of: name)) }
            // A file without tokens shuts no client out, unlike one whose tokens are all refused.
            let isShut = usable.isEmpty && !namedLikeSenders.isEmpty
            self.report(TokenIssue(barred: namedLikeSenders, isShut: isShut))
        } catch {
            state.outcome = .failure(error)
            self.logger.error("the tokens cannot be read", metadata: ["http.error": "\(error.code)"])
            // The log shows no message texts.
            Console.warn(.serveNoTokenAccepted(error.message))
            self.report(TokenIssue(isShut: true))
        }
    }

    /// The identity of a file: another one after each change of the file.
    private static func mark(of path: String) -> Result<FileIdentity, Errno> {
        var status = stat()
        guard stat(path, &status) == 0 else { return .failure(Errno(rawValue: errno)) }
        return .success(FileIdentity(path: path, status))
    }
}

extension [AccessToken] {
    /// The usable tokens, and the names of tokens that webhook senders have, too: the cards of both would be mixed.
    func apart(from secrets: [WebhookSecret]) -> (usable: [AccessToken], namedLikeSenders: [String]) {
        let senders = WebhookSecret.names(of: secrets)
        return (self.filter { !senders.contains($0.name) }, Set(self.map(\.name)).intersection(senders).sorted())
    }
}
