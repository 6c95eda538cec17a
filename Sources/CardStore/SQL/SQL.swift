import CardModel
import Foundation

/// A piece of SQL whose interpolated values are bound, never spliced, but for the names of states: `"UPDATE card SET state = \(state) WHERE id = \(id)"`.
///
/// Written so that SQLite and PostgreSQL understand it alike; what differs stays in the driver.
struct SQL: ExpressibleByStringInterpolation, Sendable {
    /// The text with `?` in the places of the values.
    private(set) var text: String
    /// The values in the order of their places.
    private(set) var values: [Bound]

    init(stringLiteral value: String) { self.init(text: value, values: []) }

    init(stringInterpolation: Interpolation) {
        self.init(text: stringInterpolation.text, values: stringInterpolation.values)
    }

    private init(text: String, values: [Bound]) {
        self.text = text
        self.values = values
    }

    static func + (one: SQL, other: SQL) -> SQL {
        SQL(text: one.text + " " + other.text, values: one.values + other.values)
    }

    static func joined(_ pieces: [SQL], by separator: String) -> SQL {
        SQL(text: pieces.map(\.text).joined(separator: separator), values: pieces.flatMap(\.values))
    }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var values: [Bound] = []

        init(literalCapacity: Int, interpolationCount: Int) {
            self.text.reserveCapacity(literalCapacity + interpolationCount)
            self.values.reserveCapacity(interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { self.text += literal }

        mutating func appendInterpolation(_ value: some Bindable) {
            self.text += "?"
            self.values.append(value.bound)
        }

        mutating func appendInterpolation(_ value: (some Bindable)?) {
            self.text += "?"
            self.values.append(value?.bound ?? .null)
        }

        mutating func appendInterpolation(_ piece: SQL) {
            self.text += piece.text
            self.values += piece.values
        }

        /// A state as part of the text. Partial indexes name states: a statement that binds one in their place would be
        /// compiled anew each time it runs, since https://www.sqlite.org/queryplanner.html looks at the value.
        mutating func appendInterpolation(literal state: CardState) { self.text += "'\(state.rawValue)'" }

        /// A list of values in brackets; never empty, since `IN ()` is not SQL everywhere.
        mutating func appendInterpolation(list: [some Bindable]) {
            precondition(!list.isEmpty, "a list of values in SQL must not be empty")
            self.text += "(" + repeatElement("?", count: list.count).joined(separator: ", ") + ")"
            self.values += list.map(\.bound)
        }
    }
}

/// A value as a statement binds it.
enum Bound: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob(Data)
}

/// What can be a value in a statement.
protocol Bindable {
    var bound: Bound { get }
}

extension Int64: Bindable { var bound: Bound { .integer(self) } }
extension Int: Bindable { var bound: Bound { .integer(Int64(self)) } }
extension Bool: Bindable { var bound: Bound { .integer(self ? 1 : 0) } }
extension String: Bindable { var bound: Bound { .text(self) } }
extension Data: Bindable { var bound: Bound { .blob(self) } }
extension Timestamp: Bindable { var bound: Bound { .integer(self.millisecondsSinceEpoch) } }
extension Identifier: Bindable { var bound: Bound { .text(self.rawValue) } }
extension BusinessNumber: Bindable { var bound: Bound { .text(self.rawValue) } }

extension Bindable where Self: RawRepresentable<String> {
    var bound: Bound { .text(self.rawValue) }
}
