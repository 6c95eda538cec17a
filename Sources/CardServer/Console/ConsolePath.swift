import CardModel
import CardStore
import Foundation

/// A place in the console with its query: the only thing that links and redirects lead to.
struct ConsolePath: Hashable, Sendable {
    let text: String

    /// - Parameter query: parameters in their order; one without a value, or with an empty one, is left out.
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
    static func overview(_ span: FigureSpan = .hour, isLive: Bool = false) -> Self {
        Self(.overview, [("span", span == .hour ? nil : span.rawValue), ("live", isLive ? "1" : nil)])
    }

    /// All but the unreserved characters as `%XX` (RFC 3986 section 2.3).
    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: self.unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}

extension HTML.StringInterpolation {
    /// An attribute that leads somewhere.
    mutating func appendInterpolation(href path: ConsolePath) { self.append("href", path.text) }
    mutating func appendInterpolation(action route: ConsoleRoute, of card: CardID? = nil) {
        self.append("action", ConsolePath(route, of: card).text)
    }
    mutating func appendInterpolation(value text: String) { self.append("value", text) }

    private mutating func append(_ attribute: String, _ value: String) {
        self.appendLiteral(" \(attribute)=\"\(HTML.escaped(value))\"")
    }
}
