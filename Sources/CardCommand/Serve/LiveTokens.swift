import CardModel
import CardServer
import Glibc
import Logging
import Synchronization
import SystemPackage

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
