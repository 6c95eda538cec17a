import CardModel
import Foundation

/// A piece of SQL whose interpolated values are bound, never spliced, except for the names of states.
///
/// Example: `"UPDATE card SET state = \(state) WHERE id = \(id)"`. The text is valid for SQLite and PostgreSQL alike;
/// differences stay in the driver.
struct SQL: ExpressibleByStringInterpolation, Sendable {
    /// The text with `?` in the places of the values.
    private(set) var text: String
    /// The values in the order of their places.
    private(set) var values: [SQLValue]

    init(stringLiteral value: String) { self.init(text: value, values: []) }

    init(stringInterpolation: Interpolation) {
        self.init(text: stringInterpolation.text, values: stringInterpolation.values)
    }

    private init(text: String, values: [SQLValue]) {
        self.text = text
        self.values = values
    }

    /// A condition for which no index is taken, since another condition selects fewer rows.
    static func unindexed(_ condition: SQL, if isHidden: Bool = true) -> SQL {
        isHidden ? "CASE WHEN \(condition) THEN TRUE ELSE FALSE END" : condition
    }

    static func joined(_ pieces: [SQL], by separator: String) -> SQL {
        SQL(text: pieces.map(\.text).joined(separator: separator), values: pieces.flatMap(\.values))
    }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var values: [SQLValue] = []

        init(literalCapacity: Int, interpolationCount: Int) {
            self.text.reserveCapacity(literalCapacity + interpolationCount)
            self.values.reserveCapacity(interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { self.text += literal }

        mutating func appendInterpolation(_ value: (some Bindable)?) {
            self.text += "?"
            self.values.append(value?.stored ?? .null)
        }

        mutating func appendInterpolation(_ piece: SQL) {
            self.text += piece.text
            self.values += piece.values
        }

        /// A state written into the text, not bound. SQLite must look at a bound value to decide whether a partial index on that
        /// state applies, so it would compile the statement again for each run (https://www.sqlite.org/queryplanner.html).
        mutating func appendInterpolation(literal state: CardState) { self.append([state]) }
        mutating func appendInterpolation(literals states: CardState...) { self.append(states, isList: true) }
        mutating func appendInterpolation(delivery state: DeliveryState) { self.append([state]) }
        mutating func appendInterpolation(deliveries states: DeliveryState...) { self.append(states, isList: true) }
        mutating func appendInterpolation(failure class: FailureClass) { self.append([`class`]) }
        mutating func appendInterpolation(failures classes: FailureClass...) { self.append(classes, isList: true) }
        mutating func appendInterpolation(literal stage: Stage) { self.append([stage]) }
        mutating func appendInterpolation(action: DecisionAction) { self.append([action]) }
        mutating func appendInterpolation(literal kind: BlobKind) { self.append([kind]) }
        mutating func appendInterpolation(literal state: RunState) { self.append([state]) }

        /// All words of a closed set, in brackets.
        mutating func appendInterpolation<Word: CaseIterable & RawRepresentable<String>>(all words: Word.Type) {
            self.append(Array(words.allCases), isList: true)
        }

        private mutating func append(_ words: [some RawRepresentable<String>], isList: Bool = false) {
            let words = words.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            self.text += isList ? "(\(words))" : words
        }

        /// Selects the number in the spelling that its case was first given, which all rows hold; `NULL` if there is no
        /// such case.
        mutating func appendInterpolation(first number: BusinessNumber) {
            self.text += "(SELECT number FROM cases WHERE key = ?)"
            self.values.append(.text(number.key))
        }

        /// A list of values in brackets; never empty, since `IN ()` is not SQL everywhere. The last value is repeated up to a
        /// power of two: each length is another statement to prepare.
        mutating func appendInterpolation(list: [some Bindable]) {
            precondition(!list.isEmpty, "a list of values in SQL must not be empty")
            let count = 1 << (Int.bitWidth - (list.count - 1).leadingZeroBitCount)
            self.text += "(" + repeatElement("?", count: count).joined(separator: ", ") + ")"
            self.values += list.map(\.stored) + repeatElement(list[list.count - 1].stored, count: count - list.count)
        }
    }
}

/// A value as a statement binds it, and as a row holds it.
enum SQLValue: Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob(Data)
}

/// A type whose values a statement can bind.
protocol Bindable { var stored: SQLValue { get } }

/// A type as which a column can be read: `nil` if the column holds something else.
protocol Readable { static func read(_ value: SQLValue) -> Self? }

extension Int64: Bindable, Readable {
    var stored: SQLValue { .integer(self) }
    static func read(_ value: SQLValue) -> Int64? { if case .integer(let number) = value { number } else { nil } }
}

extension String: Bindable, Readable {
    var stored: SQLValue { .text(self) }
    static func read(_ value: SQLValue) -> String? { if case .text(let text) = value { text } else { nil } }
}

extension Data: Bindable, Readable {
    var stored: SQLValue { .blob(self) }
    static func read(_ value: SQLValue) -> Data? { if case .blob(let data) = value { data } else { nil } }
}

extension Int: Bindable, Readable {
    var stored: SQLValue { .integer(Int64(self)) }
    static func read(_ value: SQLValue) -> Int? { Int64.read(value).map(Int.init) }
}

extension Bool: Bindable, Readable {
    var stored: SQLValue { .integer(self ? 1 : 0) }
    static func read(_ value: SQLValue) -> Bool? { Int64.read(value).map { $0 != 0 } }
}

extension Timestamp: Bindable, Readable {
    var stored: SQLValue { .integer(self.millisecondsSinceEpoch) }
    static func read(_ value: SQLValue) -> Timestamp? { Int64.read(value).map(Timestamp.init(millisecondsSinceEpoch:)) }
}

extension BusinessNumber: Bindable, Readable {
    var stored: SQLValue { .text(self.rawValue) }
    static func read(_ value: SQLValue) -> BusinessNumber? { String.read(value).map(BusinessNumber.init(stored:)) }
}

extension Identifier: Bindable, Readable {}

extension Bindable where Self: RawRepresentable<String> { var stored: SQLValue { .text(self.rawValue) } }

extension Readable where Self: RawRepresentable<String> {
    static func read(_ value: SQLValue) -> Self? { String.read(value).flatMap(Self.init(rawValue:)) }
}

extension Optional: Readable where Wrapped: Readable {
    static func read(_ value: SQLValue) -> Wrapped?? {
        if case .null = value { .some(nil) } else { Wrapped.read(value).map(Optional.some) }
    }
}
