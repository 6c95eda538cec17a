import CardModel
import HTTPTypes

/// One page or act of the console: where it is, and who may.
struct ConsoleRoute: Hashable, Sendable {
    enum Access: Hashable, Sendable {
        case open
        /// Whoever is signed in.
        case session
        /// Whoever is signed in by a token with one of these scopes.
        case scopes([TokenScope])
    }

    let method: HTTPRequest.Method
    /// The template, such as `/console/cards/{card_id}`.
    let path: String
    let access: Access

    private init(_ method: HTTPRequest.Method, _ path: String, _ access: Access) {
        self.method = method
        self.path = path
        self.access = access
    }

    /// Whether a path lies in the console, whatever is there.
    static func contains(_ path: String) -> Bool { path == "/console" || path.hasPrefix("/console/") }
}

// Each stands on one line.
// swift-format-ignore
extension ConsoleRoute {
    static let home = Self(.get, "/", .open)
    static let styles = Self(.get, "/console/console.css", .open)
    static let script = Self(.get, "/console/console.js", .open)
    static let signInForm = Self(.get, "/console/sign-in", .open)
    static let signIn = Self(.post, "/console/sign-in", .open)
    static let signOut = Self(.post, "/console/sign-out", .session)
    static let settings = Self(.post, "/console/settings", .session)
    static let overview = Self(.get, "/console", .scopes([.review, .audit, .run]))
    static let cases = Self(.get, "/console/cases", .scopes(AccessAction.show.scopes))
    static let oneCase = Self(.get, "/console/cases/show", .scopes(AccessAction.show.scopes))
    static let cards = Self(.get, "/console/cards", .scopes(AccessAction.show.scopes))
    static let card = Self(.get, "/console/cards/{card_id}", .scopes(AccessAction.show.scopes))

    static let reveal = Self(.post, "/console/cards/{card_id}/reveal", .scopes(AccessAction.reveal.scopes))
    static let icon = Self(.get, "/console/icon.svg", .open)

    static let intakeForm = Self(.get, "/console/intake", .scopes([.submit]))
    static let intake = Self(.post, "/console/intake", .scopes([.submit]))
    static let log = Self(.get, "/console/log", .scopes(AccessAction.log.scopes))

    static let decide = Self(.post, "/console/cards/{card_id}/decide", .scopes(AccessAction.decide.scopes))
    static let review = Self(.get, "/console/review", .scopes(AccessAction.decide.scopes))
    static let beginReview = Self(.post, "/console/review", .scopes(AccessAction.decide.scopes))
    static let nextCase = Self(.post, "/console/review/next", .scopes(AccessAction.decide.scopes))
    static let undoDecision = Self(.post, "/console/review/undo", .scopes(AccessAction.decide.scopes))

    static let all = [
        home, styles, script, signInForm, signIn, signOut, settings, overview, cases, oneCase, cards, card,
        reveal, icon, intakeForm, intake, log,
        decide, review, beginReview, nextCase, undoDecision,
    ]
}
