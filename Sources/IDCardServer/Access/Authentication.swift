import CoreMetrics
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Tells who asks, whether they may, and whether they ask too often.
struct Authentication: Sendable {
    let tokens: TokenRegister
    /// How often a token may ask.
    let callers: RateLimit
    /// How often an address may be wrong.
    let failures: RateLimit
    let metrics: ServerMetrics
    let now: @Sendable () -> Date

    /// Lets a request through.
    ///
    /// - Returns: what is kept of its token.
    /// - Throws: ``Problem``: `unauthorized`, `scope_missing` or `rate_limited`.
    func admit(_ request: Request, context: ServerContext, scope: TokenScope) throws -> TokenRecord {
        guard let token = Self.token(of: request), let record = self.tokens.record(of: token, at: self.now()) else {
            throw self.failure(request, context: context)
        }
        context.exchange.note { $0.caller = record.name }
        let standing = self.callers.count(record.name, at: ConnectionGuard.now)
        context.exchange.note { $0.rateLimit = standing }
        if let wait = standing.wait { throw Problem(.rateLimited, retryAfter: wait) }
        guard record.scopes.contains(scope) else {
            var problem = Problem(.scopeMissing, "The scope \(scope.rawValue) is needed.")
            problem.headers[.wwwAuthenticate] =
                "Bearer realm=\"idcard-pipeline\", error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""
            throw problem
        }
        return record
    }

    /// One that is wrong too often is told to wait. A right token is let through whoever else is wrong at the same
    /// address: behind a proxy all have one.
    private func failure(_ request: Request, context: ServerContext) -> Problem {
        self.metrics.failedAuthentications.increment()
        let standing = self.failures.count(context.remoteNetwork, at: ConnectionGuard.now)
        if let wait = standing.wait { return Problem(.rateLimited, retryAfter: wait) }
        var problem = Problem(.unauthorized)
        let isPresented = request.headers[.authorization] != nil
        problem.headers[.wwwAuthenticate] =
            "Bearer realm=\"idcard-pipeline\"" + (isPresented ? ", error=\"invalid_token\"" : "")
        return problem
    }

    /// The token of `Authorization: Bearer` (RFC 6750 section 2.1); nowhere else is one looked for.
    private static func token(of request: Request) -> AccessToken? {
        let values = request.headers[values: .authorization]
        guard values.count == 1 else { return nil }
        let parts = values[0].split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer", 1...512 ~= parts[1].utf8.count else { return nil }
        return AccessToken(presented: String(parts[1]))
    }
}
