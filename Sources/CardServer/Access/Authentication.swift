import CardModel
import Crypto
import Foundation
import HTTPTypes
import Hummingbird

/// Identifies the caller, checks the scopes and applies the rate limits.
struct Authentication: Sendable {
    let tokens: CardServer.TokenSource
    /// How many requests each token may make.
    let callers: RateLimit
    /// How many failures each address may have.
    let failures: RateLimit
    let metrics: ServerMetrics
    let now: @Sendable () -> Timestamp

    /// - Returns: the caller.
    /// - Throws: ``Problem``: `unauthorized`, `scope_missing`, `rate_limited` or `tokens_unavailable`.
    func admit(_ request: Request, context: ServerContext, scopes: [TokenScope]) throws -> Caller {
        let isPresented = request.headers[.authorization] != nil
        let caller = try self.signIn(Self.token(of: request), isPresented: isPresented, context: context).caller
        guard caller.has(scopes) else {
            let names = scopes.map(\.rawValue)
            throw Problem(
                .scopeMissing,
                .requestScopeMissing(names),
                headers: Self.challenge(", error=\"insufficient_scope\", scope=\"\(names.joined(separator: " "))\"")
            )
        }
        Self.recordAuthenticated(caller, context: context)
        return caller
    }

    /// Marks the connection of an authenticated caller, so that anonymous connections are closed before it.
    static func recordAuthenticated(_ caller: Caller, context: ServerContext) {
        context.channel.triggerUserOutboundEvent(ConnectionSignal.authenticated(as: caller.subject), promise: nil)
    }

    /// Finds the caller of the token that a session began with; `nil` if the token is no longer valid.
    ///
    /// - Parameter isCounted: whether the request counts towards the rate limit of the token.
    /// - Throws: ``Problem``: `rate_limited` or `tokens_unavailable`.
    func admit(_ digest: Data, isCounted: Bool, context: ServerContext) throws(Problem) -> Caller? {
        guard let token = try self.validToken(where: { $0 == digest }) else { return nil }
        return isCounted ? try self.count(token, context: context) : token.caller
    }

    /// Finds a valid token, also while other clients fail at its address: behind a proxy all share one address.
    ///
    /// - Throws: ``Problem``: `unauthorized`, `rate_limited` or `tokens_unavailable`.
    func signIn(_ presented: String?, isPresented: Bool = true, context: ServerContext) throws(Problem) -> AccessToken {
        let digest = SHA256.hash(data: Data((presented ?? "").utf8))
        guard let presented, presented.utf8.count <= 512, let token = try self.validToken(where: { digest == $0 })
        else {
            throw self.failure(isPresented: isPresented, context: context)
        }
        _ = try self.count(token, context: context)
        return token
    }

    private func count(_ token: AccessToken, context: ServerContext) throws(Problem) -> Caller {
        let status = self.callers.count(token.name, at: ConnectionGuard.now)
        context.record.update {
            $0.caller = token.name
            $0.rateLimit = status
        }
        if let wait = status.wait { throw Problem(.rateLimited, retryAfter: wait) }
        return token.caller
    }

    /// The valid token whose digest matches. Every token is compared, each as a whole (by `SHA256Digest`), so that the time
    /// reveals nothing.
    private func validToken(where matches: (_ digest: Data) -> Bool) throws(Problem) -> AccessToken? {
        let tokens: [AccessToken]
        do throws(CodedError) { tokens = try self.tokens() } catch {
            // The client is not at fault, so this does not count as a failure.
            self.metrics.add(.unavailableTokens)
            throw Problem(.tokensUnavailable, retryAfter: .seconds(10))
        }
        var found: AccessToken?
        for token in tokens where matches(token.digest) { found = token }
        return found.flatMap { $0.isValid(at: self.now().date) ? $0 : nil }
    }

    /// Counts a failed authentication, and returns its problem.
    private func failure(isPresented: Bool, context: ServerContext) -> Problem {
        self.metrics.add(.failedAuthentications)
        let status = self.failures.count(context.channel.remoteAddress?.network ?? "", at: ConnectionGuard.now)
        if let wait = status.wait { return Problem(.rateLimited, retryAfter: wait) }
        return Problem(.unauthorized, headers: Self.challenge(isPresented ? ", error=\"invalid_token\"" : ""))
    }

    private static func challenge(_ error: String) -> HTTPFields {
        [.wwwAuthenticate: "Bearer realm=\"idcard-pipeline\"\(error)"]
    }

    /// The token of `Authorization: Bearer` (RFC 6750 section 2.1), the only field that may carry one.
    private static func token(of request: Request) -> String? {
        let parts = request.headers.single(.authorization)?.split(separator: " ", maxSplits: 1) ?? []
        guard parts.count == 2, parts[0].lowercased() == "bearer", 1...512 ~= parts[1].utf8.count else { return nil }
        return String(parts[1])
    }
}
