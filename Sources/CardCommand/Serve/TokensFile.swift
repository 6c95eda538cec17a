import CardModel
import CardServer
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
    /// - Parameter senders: names that none of them may have.
    /// - Throws: `secret_insecure`, `secret_unreadable`, `token_invalid`.
    func read(apartFrom senders: Set<String> = []) throws(CodedError) -> [AccessToken] {
        var status = stat()
        if lstat(self.path, &status) != 0, errno == ENOENT { return [] }
        let text = try SecretFile(path: self.path, key: Self.key).readText(expected: .secretExpectsTokens)
        let tokens = try AccessToken.tokens(in: Data(text.reveal().utf8))
        try self.check(tokens, apartFrom: senders)
        return tokens
    }

    /// Refuses a token that has the name of a sender of webhooks.
    ///
    /// - Throws: `token_invalid`.
    func check(_ tokens: [AccessToken], apartFrom senders: Set<String>) throws(CodedError) {
        guard let token = tokens.first(where: { senders.contains($0.name) }) else { return }
        throw AccessToken.invalid(.tokensSenderName(Self.key, token.name, self.command("revoke \(token.name)")))
    }

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
        try DurableFile.makeFolders(folder, mode: 0o700)
        // The lock is that of the folder, as the file itself is replaced.
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0 else {
            throw self.error(.tokensFolderLock(errno))
        }
        defer { close(descriptor) }
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
/// token taken back opens nothing more.
final class LiveTokens: Sendable {
    private struct State {
        /// Names that no token may have.
        var senders: Set<String>
        /// What the file looked like when it was read.
        var mark: Result<FileIdentity, Errno>?
        var outcome = Result<[AccessToken], CodedError>.success([])
    }

    private let file: TokensFile
    private let logger: Logger
    private let state: Mutex<State>

    /// `nil` without a place for the file.
    init?(_ configuration: Configuration, apartFrom secrets: [WebhookSecret], logger: Logger) {
        guard let path = configuration.server.tokensFile else { return nil }
        self.file = TokensFile(path: path)
        self.logger = logger
        self.state = Mutex(State(senders: WebhookSecret.names(of: secrets)))
    }

    /// - Throws: why they cannot be known, as ``TokensFile/read(apartFrom:)``; the log has said so once.
    func now() throws(CodedError) -> [AccessToken] {
        try self.state.withLock { state in
            self.look(&state)
            return state.outcome
        }.get()
    }

    /// Takes the names of other senders of webhooks.
    ///
    /// - Throws: `token_invalid` if a token has one of these names; then those before count on.
    func keepApart(from senders: Set<String>) throws(CodedError) {
        try self.state.withLock { state throws(CodedError) in
            self.look(&state)
            if case .success(let tokens) = state.outcome { try self.file.check(tokens, apartFrom: senders) }
            // With other names the same file may be a good one.
            if senders != state.senders { state.mark = nil }
            state.senders = senders
        }
    }

    private func look(_ state: inout State) {
        // Before the reading: what changes meanwhile is seen the next time.
        let mark = Self.mark(of: self.file.path)
        guard state.mark != mark else { return }
        state.mark = mark
        do throws(CodedError) {
            let tokens = try self.file.read(apartFrom: state.senders)
            state.outcome = .success(tokens)
            self.logger.notice("tokens read")
        } catch {
            state.outcome = .failure(error)
            self.logger.error("the tokens cannot be read", metadata: ["http.error": "\(error.code)"])
            // The log shows no texts.
            Console.warn(.serveNoTokenAccepted(error.message))
        }
    }

    /// What is another as soon as the file is.
    private static func mark(of path: String) -> Result<FileIdentity, Errno> {
        var status = stat()
        guard stat(path, &status) == 0 else { return .failure(Errno(rawValue: errno)) }
        return .success(FileIdentity(path: path, status))
    }
}
