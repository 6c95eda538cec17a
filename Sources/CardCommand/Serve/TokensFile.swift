import CardModel
import CardServer
import CardStore
import Foundation
import Glibc
import Logging
import Synchronization
import SystemPackage

/// The file of who may ask (`server.tokens_file`), with a hash of each token; only its owner may have rights to it.
struct TokensFile: Sendable {
    private static let key = "server.tokens_file"

    let path: String

    /// The command that does something with this file.
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

    /// Why a token that has the name of a sender of webhooks opens nothing.
    func refusal(of name: String) -> Message { .tokensSenderName(Self.key, name, self.command("revoke \(name)")) }

    /// Reads the tokens for one who looks after them: in the folder of the service's user, root is that user.
    ///
    /// - Throws: as ``read()``.
    func readForUpkeep() throws(CodedError) -> [AccessToken] {
        try SandboxOwner.become(of: DurableFile.folder(of: KeyFile.resolved(self.path)))
        var status = stat()
        // A file that root made in its place could not be read by the server.
        guard geteuid() != 0 || stat(self.path, &status) != 0 || status.st_uid == 0 else {
            throw self.error(.tokensFileOwner(Int(status.st_uid)))
        }
        return try self.read()
    }

    /// Changes the file whole or not at all; of two processes one waits for the other.
    ///
    /// - Throws: as ``read()``; `file_not_written`; what the body throws.
    func change(_ body: (inout [AccessToken]) throws(CodedError) -> Void) throws {
        let path = KeyFile.resolved(self.path)
        let folder = DurableFile.folder(of: path)
        // A folder that root made would not be its user's.
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

/// The tokens as they are now: their file is looked at with each request, and read again when it is not as it was, so that a
/// token taken back opens nothing more. One that has the name of a sender of webhooks opens nothing, either.
final class LiveTokens: Sendable {
    private struct State {
        /// No token may have the name of one of these.
        var secrets: [WebhookSecret]
        /// What the file looked like when it was read.
        var mark: Result<FileIdentity, Errno>?
        var outcome = Result<[AccessToken], CodedError>.success([])
    }

    private let file: TokensFile
    private let logger: Logger
    private let report: @Sendable (TokenIssue) -> Void
    private let state: Mutex<State>

    /// `nil` without a place for the file.
    ///
    /// - Parameter report: told what is wrong with them, whenever they were read.
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
        self.state.withLock { self.look(&$0) }
    }

    /// - Throws: why they cannot be known, as ``TokensFile/read()``; the log has said so once.
    func now() throws(CodedError) -> [AccessToken] {
        try self.state.withLock { state in
            self.look(&state)
            return state.outcome
        }.get()
    }

    /// Takes other senders of webhooks: with other names other tokens are good ones.
    func keepApart(from secrets: [WebhookSecret]) {
        self.state.withLock { state in
            guard secrets != state.secrets else { return }
            (state.secrets, state.mark) = (secrets, nil)
            self.look(&state)
        }
    }

    private func look(_ state: inout State) {
        // Before the reading: what changes meanwhile is seen the next time.
        let mark = Self.mark(of: self.file.path)
        guard state.mark != mark else { return }
        state.mark = mark
        do throws(CodedError) {
            let tokens = try self.file.read()
            let (usable, barred) = tokens.apart(from: state.secrets)
            state.outcome = .success(usable)
            self.logger.notice("tokens read")
            for name in barred { Console.warn(self.file.refusal(of: name)) }
            // A service may also do without tokens.
            self.report(TokenIssue(barred: barred, isShut: usable.isEmpty && !barred.isEmpty))
        } catch {
            state.outcome = .failure(error)
            self.logger.error("the tokens cannot be read", metadata: ["http.error": "\(error.code)"])
            // The log shows no texts.
            Console.warn(.serveNoTokenAccepted(error.message))
            self.report(TokenIssue(isShut: true))
        }
    }

    /// What is another as soon as the file is.
    private static func mark(of path: String) -> Result<FileIdentity, Errno> {
        var status = stat()
        guard stat(path, &status) == 0 else { return .failure(Errno(rawValue: errno)) }
        return .success(FileIdentity(path: path, status))
    }
}

extension [AccessToken] {
    /// Those that have no name of a sender of webhooks, and the names of the others: their cards would be mixed.
    func apart(from secrets: [WebhookSecret]) -> (usable: [AccessToken], barred: [String]) {
        let senders = WebhookSecret.names(of: secrets)
        return (self.filter { !senders.contains($0.name) }, Set(self.map(\.name)).intersection(senders).sorted())
    }
}
