import CardModel
import CardStore
import HTTPTypes
import Hummingbird

/// The pages for people: sign-in, language, and the parts that every answer has.
struct Console: Sendable {
    typealias Handler = @Sendable (ConsoleRequest) async throws -> Reply

    /// The answer of a handler.
    enum Reply: Sendable {
        case page(ConsolePage)
        /// Redirects the browser (303): a reload repeats no act.
        case redirect(ConsolePath)
        /// For an answer that is not a page.
        case response(Response)
    }

    let authentication: Authentication
    let cards: CardRoutes
    let intakeService: IntakeService
    let sessions = Sessions()
    let status = CachedValue<SandboxStatus>()
    let chain = CachedValue<(lines: Int, findings: Int)>()
    /// The throughput, cached for each span.
    let throughput = Dictionary(uniqueKeysWithValues: ThroughputSpan.allCases.map { ($0, CachedValue<Throughput>()) })

    var ports: CardServer.Ports { self.intakeService.ports }

    /// A cookie with the prefix `__Host-` belongs to this host only, and needs TLS (RFC 6265bis section 4.1.3.2). The name
    /// has the port: a browser sends the cookies of a host to all its ports.
    private var cookieName: String {
        let name = "idcard-\(self.intakeService.configuration.port)"
        return self.intakeService.configuration.tls == nil ? name : "__Host-\(name)"
    }

    /// Adds the routes of all pages.
    func add(to router: Router<ServerContext>) {
        for route in ConsoleRoute.all {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                try await self.answer(route, request, context)
            }
        }
    }

    /// Answers a request for one of the console's routes; errors become pages, too.
    private func answer(_ route: ConsoleRoute, _ request: Request, _ context: ServerContext) async throws -> Response {
        var visit = ConsoleRequest(request: request, context: context)
        do {
            try CrossOrigin.check(request)
            if case .asset = route.access {} else { try self.enter(&visit, route.access) }
        } catch {
            return self.response(to: visit, failed: error)
        }
        return try await MessageCatalogue.$requested.withValue(visit.catalogue) {
            do {
                guard try self.requireAccess(route.access, visit) else {
                    return self.response(to: visit, .redirect(ConsolePath(.signIn)))
                }
                var reply = try await route.handler(self)(visit)
                if case .page(var page) = reply, page.outcome == nil {
                    page.outcome = try await self.outcome(for: visit)
                    reply = .page(page)
                }
                return self.response(to: visit, reply)
            } catch  where error is CancellationError || route == .home {
                // A program that asks for the root gets the answer of an unknown path.
                throw error
            } catch {
                return self.response(to: visit, failed: error)
            }
        }
    }

    // MARK: Sessions

    /// Finds the session that a request belongs to, if its token still works.
    private func enter(_ visit: inout ConsoleRequest, _ access: ConsoleRoute.Access) throws {
        // A browser may send several of one name: for a path, and for the domain.
        let cookies = visit.request.headers[values: .cookie].flatMap { $0.split(separator: ";") }.map { $0.trimmed }
            .filter { $0.hasPrefix("\(self.cookieName)=") }
        // Behind the dot is the part that changes with each answer.
        let names = cookies.map { String($0.dropFirst(self.cookieName.count + 1).prefix { $0 != "." }) }
        let known = names.lazy.compactMap { [sessions, isUse = visit.isUse] name in
            sessions.session(name, at: ConnectionGuard.now, isUse: isUse).map { (name, $0) }
        }
        guard let (name, session) = known.first else { return }
        // A caller over the rate limit can still sign out.
        let isCounted = if case .scopes = access { true } else { false }
        guard let caller = try self.authentication.admit(session.token, isCounted: isCounted, context: visit.context)
        else {
            self.sessions.remove(name)
            return
        }
        visit.session = (name, session)
        visit.caller = caller
        visit.hasReveals = self.cards.hasReveals(caller)
    }

    /// Changes the session of a visit, if there is one.
    @discardableResult
    func change<Value: Sendable>(_ visit: ConsoleRequest, _ change: (inout Sessions.Session) -> Value) -> Value? {
        visit.session.flatMap { self.sessions.change($0.name, change) }
    }

    /// - Returns: `false` for a visitor who has to sign in first.
    /// - Throws: ``Problem`` `scope_missing`.
    private func requireAccess(_ access: ConsoleRoute.Access, _ visit: ConsoleRequest) throws -> Bool {
        switch access {
        case .asset, .open: return true
        case .session: return visit.session != nil
        case .scopes(let scopes):
            guard visit.session != nil else { return false }
            guard visit.caller.has(scopes) else {
                throw Problem(.scopeMissing, .requestScopeMissing(scopes.map(\.rawValue)))
            }
            Authentication.recordAuthenticated(visit.caller, context: visit.context)
            return true
        }
    }

    // MARK: Answers

    private func response(to visit: ConsoleRequest, failed error: any Error) -> Response {
        let id = visit.context.record.id
        return self.response(to: visit, .page(.problem(Problem(cause: error), because: error, requestID: id)))
    }

    private func response(to visit: ConsoleRequest, _ reply: Reply) -> Response {
        var response: Response
        switch reply {
        case .response(let made): response = made
        case .redirect(let path): response = Response(status: .seeOther, headers: [.location: path.text])
        case .page(let page): response = page.response(for: visit)
        }
        // A changed cookie keeps the page out of the browser's back cache.
        if let session = visit.session, response.headers[.setCookie] == nil {
            response.headers[.setCookie] = self.cookie(session.name, for: visit)
        }
        return response
    }

    /// - Parameter name: of the session; `nil` deletes the cookie.
    func cookie(_ name: String?, for visit: ConsoleRequest) -> String {
        let value = name.map { "\($0).\(Sessions.random().prefix(8))" } ?? ""
        // A proxy that terminates TLS sets this field; a client that sets it itself only gets a cookie that needs TLS.
        let isSecure = self.intakeService.configuration.tls != nil || visit.request.headers[.forwardedScheme] == "https"
        return "\(self.cookieName)=\(value); Path=/; HttpOnly; SameSite=Lax"
            + (isSecure ? "; Secure" : "") + (name == nil ? "; Max-Age=0" : "")
    }
}
