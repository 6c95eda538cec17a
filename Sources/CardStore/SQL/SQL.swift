import CardModel
import Foundation

/// A piece of SQL whose interpolated values are bound; only words of closed sets, such as states, are written into the text.
/// Example: `"UPDATE card SET state = \(state) WHERE id = \(id)"`. The text is valid for both SQLite and PostgreSQL.
struct SQL: ExpressibleByStringInterpolation, Sendable {
    /// The text with `?` for each value.
    private(set) var text: String
    /// The values in the order of the `?`.
    private(set) var values: [SQLValue]

    init(stringLiteral value: String) { self.init(text: value, values: []) }

    init(stringInterpolation: Interpolation) {
        self.init(text: stringInterpolation.text, values: stringInterpolation.values)
    }

    private init(text: String, values: [SQLValue]) {
        self.text = text
        self.values = values
    }

    /// Returns a condition in a form for which SQLite uses no index, so that it uses that of another condition, which selects
    /// fewer rows.
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

        /// Writes a state into the text. If the state were bound, SQLite would have to look at its value to decide whether a
        /// partial index on that state applies, and so compile the statement for each run
        /// (https://www.sqlite.org/queryplanner.html).
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

        /// Writes all words of a closed set into the text, in brackets.
        mutating func appendInterpolation<Word: CaseIterable & RawRepresentable<String>>(all words: Word.Type) {
            self.append(Array(words.allCases), isList: true)
        }

        private mutating func append(_ words: [some RawRepresentable<String>], isList: Bool = false) {
            let words = words.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            self.text += isList ? "(\(words))" : words
        }

        /// Binds a list of values in brackets, which must not be empty, since not every database accepts `IN ()`. Repeats the
        /// last value up to a power of two, because each length is another statement to compile.
        mutating func appendInterpolation(list: [some Bindable]) {
            precondition(!list.isEmpty, "a list of values in SQL must not be empty")
            let count = 1 << (Int.bitWidth - (list.count - 1).leadingZeroBitCount)
            self.text += "(" + repeatElement("?", count: count).joined(separator: ", ") + ")"
            self.values += list.map(\.stored) + repeatElement(list[list.count - 1].stored, count: count - list.count)
        }
    }
}

/// A value in the form in which statements bind it and rows store it.
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
