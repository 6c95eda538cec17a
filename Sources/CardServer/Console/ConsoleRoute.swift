import CardModel
import CardStore
import Foundation
import HTTPTypes

/// One page or act of the console: its method and path, the access it needs, and its handler.
struct ConsoleRoute: Hashable, Sendable {
    enum Access: Sendable {
        /// Any client, with the same answer for all: no session is looked up.
        case asset
        case open
        /// A person who is signed in.
        case session
        /// A person who signed in with a token that has one of these scopes.
        case scopes([TokenScope])
    }

    let method: HTTPRequest.Method
    /// The template, such as `/console/cards/{card_id}`.
    let path: String
    let access: Access
    let handler: @Sendable (Console) -> Console.Handler

    private init(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ access: Access,
        _ handler: @escaping @Sendable (Console) -> Console.Handler
    ) {
        (self.method, self.path, self.access, self.handler) = (method, path, access, handler)
    }

    private init(_ path: String, _ asset: ConsoleAsset) {
        self.init(.get, path, .asset) { _ in { _ in .response(asset.response) } }
    }

    static func == (one: Self, other: Self) -> Bool { (one.method, one.path) == (other.method, other.path) }

    func hash(into hasher: inout Hasher) { hasher.combine(self.path) }

    /// Whether a signed-in caller may use the route.
    func admits(_ caller: Caller) -> Bool {
        if self == .overview { return caller.has([.review, .audit, .run]) }
        return if case .scopes(let scopes) = self.access { caller.has(scopes) } else { true }
    }

    /// Whether a path lies in the console, even if it has no page.
    static func contains(_ path: String) -> Bool { path == "/console" || path.hasPrefix("/console/") }
}

// Each stands on one line.
// swift-format-ignore
extension ConsoleRoute {
    private static let show = Access.scopes(AccessAction.show.scopes)
    private static let deciding = Access.scopes(AccessAction.decide.scopes)

    static let home = Self(.get, "/", .open, Console.welcome)
    static let styles = Self("/console/console.css", .styles)
    static let script = Self("/console/console.js", .script)
    static let icon = Self("/console/icon.svg", .icon)
    static let signInForm = Self(.get, "/console/sign-in", .open, Console.signInForm)
    static let signIn = Self(.post, "/console/sign-in", .open, Console.signIn)
    static let signOut = Self(.post, "/console/sign-out", .session, Console.signOut)
    static let settings = Self(.post, "/console/settings", .session, Console.settings)
    static let overview = Self(.get, "/console", .session, Console.overview)
    static let cases = Self(.get, "/console/cases", show, Console.listCases)
    static let casesAsCSV = Self(.get, "/console/cases.csv", show, Console.downloadCases)
    static let casesAsWorkbook = Self(.get, "/console/cases.xlsx", show, Console.downloadCases)
    static let oneCase = Self(.get, "/console/cases/show", show, Console.showCase)
    static let cards = Self(.get, "/console/cards", show, Console.listCards)
    static let card = Self(.get, "/console/cards/{card_id}", show, Console.showCard)
    static let reveal = Self(.post, "/console/cards/{card_id}/reveal", show, Console.revealCard)
    static let decide = Self(.post, "/console/cards/{card_id}/decide", deciding, Console.decide)
    static let review = Self(.get, "/console/review", deciding, Console.review)
    static let beginReview = Self(.post, "/console/review", deciding, Console.beginReview)
    static let nextCase = Self(.post, "/console/review/next", deciding, Console.nextCase)
    static let undoDecision = Self(.post, "/console/review/undo", deciding, Console.undoDecision)
    static let intakeForm = Self(.get, "/console/intake", .scopes([.submit]), Console.intakeForm)
    static let intake = Self(.post, "/console/intake", .scopes([.submit]), Console.intake)
    static let log = Self(.get, "/console/log", .scopes(AccessAction.log.scopes), Console.log)

    static let all = [
        home, styles, script, icon, signInForm, signIn, signOut, settings, overview, cases, casesAsCSV,
        casesAsWorkbook, oneCase, cards, card, reveal,
        decide, review, beginReview, nextCase, undoDecision, intakeForm, intake, log,
    ]

    /// The parts of the console, as the navigation shows them.
    static let sections: [(route: Self, title: Message)] = [
        (overview, .pageOverview), (review, .pageReview), (cases, .pageCases),
        (cards, .pageCards), (intakeForm, .pageIntake), (log, .pageLog),
    ]
}

/// A path of the console with its query: links and redirects lead only to these.
struct ConsolePath: Hashable, Sendable {
    let text: String

    /// - Parameter query: parameters in their order; those without a value, or with an empty one, are left out.
    init(_ path: String, _ query: [(name: String, value: String?)] = []) {
        let given = query.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : "\(name)=\(Self.encoded($0))" }
        }
        self.text = path + (given.isEmpty ? "" : "?" + given.joined(separator: "&"))
    }

    init(_ route: ConsoleRoute, of card: CardID? = nil, _ query: [(name: String, value: String?)] = []) {
        let id = card.map { Self.encoded($0.rawValue) }
        self.init(id.map { route.path.replacing("{card_id}", with: $0) } ?? route.path, query)
    }

    static func review(tab: String) -> Self { Self(.review, [("tab", tab)]) }
    static func card(_ id: CardID) -> Self { Self(.card, of: id) }
    static func overview(_ span: ThroughputSpan = .hour, isLive: Bool = false) -> Self {
        Self(.overview, [("span", span == .hour ? nil : span.rawValue), ("live", isLive ? "1" : nil)])
    }

    /// Percent-encodes all but the unreserved characters (RFC 3986 section 2.3).
    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: self.unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}

extension HTML.StringInterpolation {
    /// An attribute with a path of the console.
    mutating func appendInterpolation(href path: ConsolePath) { self.append("href", path.text) }
    mutating func appendInterpolation(action route: ConsoleRoute, of card: CardID? = nil) {
        self.append("action", ConsolePath(route, of: card).text)
    }
    mutating func appendInterpolation(value text: String) { self.append("value", text) }

    private mutating func append(_ attribute: String, _ value: String) {
        self.appendLiteral(" \(attribute)=\"\(HTML.escaped(value))\"")
    }
}
