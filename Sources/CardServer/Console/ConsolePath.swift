import CardModel
import CardStore

/// A place in the console with its query: the only thing that links and forms lead to.
struct ConsolePath: Hashable, Sendable {
    let text: String

    /// - Parameter query: parameters in their order; one without a value, or with an empty one, is left out.
    init(_ path: String, _ query: [(name: String, value: String?)] = []) {
        let given = query.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : "\(name)=\(Self.encoded($0))" }
        }
        self.text = path + (given.isEmpty ? "" : "?" + given.joined(separator: "&"))
    }

    static let overview = Self("/console")
    static let signIn = Self("/console/sign-in")
    static let signOut = Self("/console/sign-out")
    static let settings = Self("/console/settings")
    static let cases = Self("/console/cases")
    static let cards = Self("/console/cards")
    static let review = Self("/console/review")
    static let nextCase = Self("/console/review/next")
    static let undoDecision = Self("/console/review/undo")
    static let intake = Self("/console/intake")
    static let log = Self("/console/log")

    static func overview(_ span: FigureSpan, isLive: Bool) -> Self {
        Self("/console", [("span", span == .hour ? nil : span.rawValue), ("live", isLive ? "1" : nil)])
    }
    static func review(tab: String) -> Self { Self("/console/review", [("tab", tab)]) }
    static func oneCase(_ number: String) -> Self { Self("/console/cases/show", [("no", number)]) }
    static func card(_ id: CardID) -> Self { Self("/console/cards/\(Self.encoded(id.rawValue))") }
    static func reveal(_ id: CardID) -> Self { Self("\(Self.card(id).text)/reveal") }
    static func decide(_ id: CardID) -> Self { Self("\(Self.card(id).text)/decide") }

    /// All but the unreserved characters as `%XX` (RFC 3986 section 2.3).
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        .joined()
    }
}

extension HTML.StringInterpolation {
    /// An attribute that leads somewhere.
    mutating func appendInterpolation(href path: ConsolePath) { self.append("href", path.text) }
    mutating func appendInterpolation(action path: ConsolePath) { self.append("action", path.text) }
    mutating func appendInterpolation(value text: String) { self.append("value", text) }

    private mutating func append(_ attribute: String, _ value: String) {
        self.appendLiteral(" \(attribute)=\"\(HTML.escaped(value))\"")
    }
}
