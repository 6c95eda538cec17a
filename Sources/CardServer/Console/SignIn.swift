import CardModel
import HTTPTypes
import Hummingbird

// Begins and ends sessions, and changes their settings.
extension Console {
    /// `GET /`: redirects browsers to the pages.
    func welcome(_ visit: ConsoleRequest) async throws -> Reply {
        guard visit.request.headers[.accept]?.contains("text/html") == true else { throw Problem(.notFound) }
        return .redirect(.overview())
    }

    /// The first page that a caller may see; `nil` if there is none.
    static func home(of caller: Caller) -> ConsolePath? {
        ConsoleRoute.sections.first { $0.route.admits(caller) }.map { ConsolePath($0.route) }
    }

    /// `GET /console/sign-in`.
    func signInForm(_ visit: ConsoleRequest) async throws -> Reply {
        if visit.session != nil, let home = Self.home(of: visit.caller) { return .redirect(home) }
        return .page(Self.signInPage(nil))
    }

    private static func signInPage(_ outcome: Message?) -> ConsolePage {
        ConsolePage(
            .pageSignIn,
            outcome: outcome,
            """
            <form method="post"\(action: .signIn) class="sign-in">
            <label for="token">\(Message.pageToken)</label>
            <input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required autofocus>
            <p class="faint">\(Message.pageTokenHint)</p>
            <button class="main">\(Message.pageSignIn)</button></form>
            """
        )
    }

    /// `POST /console/sign-in`: a token in a form field; invalid tokens count as they do in the API.
    func signIn(_ visit: ConsoleRequest) async throws -> Reply {
        let form = try await visit.form(["token"])
        let token: AccessToken
        do throws(Problem) {
            token = try self.authentication.signIn(form["token"] ?? "", context: visit.context)
        } catch {
            guard error.code == .unauthorized else { throw error }
            var page = Self.signInPage(.pageTokenWrong)
            page.refusal = (error, error)
            return .page(page)
        }
        guard let home = Self.home(of: token.caller) else { throw Problem(.scopeMissing, .pageNoPage) }
        if let old = visit.session { self.sessions.remove(old.name) }
        let name = self.sessions.begin(token, language: visit.session?.value.language, at: ConnectionGuard.now)
        let headers: HTTPFields = [.location: home.text, .setCookie: self.cookie(name, for: visit)]
        return .response(Response(status: .seeOther, headers: headers))
    }

    /// `POST /console/sign-out`.
    func signOut(_ visit: ConsoleRequest) async throws -> Reply {
        if let session = visit.session { self.sessions.remove(session.name) }
        let headers: HTTPFields = [
            .location: ConsolePath(.signIn).text, .setCookie: self.cookie(nil, for: visit), .clearSiteData: "\"cache\"",
        ]
        return .response(Response(status: .seeOther, headers: headers))
    }

    /// `POST /console/settings`: language and keys of the session.
    func settings(_ visit: ConsoleRequest) async throws -> Reply {
        let form = try await visit.form(["language", "keys", "back"])
        let (language, keys) = (form["language"].map(Language.init(rawValue:)), form["keys"])
        guard language != .some(nil), keys.map(["on", "off"].contains) ?? true else { throw Problem(.fieldInvalid) }
        self.change(visit) { session in
            if let language { session.language = language }
            session.hasKeys = keys.map { $0 == "on" } ?? session.hasKeys
        }
        // Redirect only to a page of the console.
        let back = form["back"].flatMap {
            ConsoleRoute.contains(String($0.prefix { $0 != "?" })) ? ConsolePath($0) : nil
        }
        return .redirect(back ?? .overview())
    }
}
