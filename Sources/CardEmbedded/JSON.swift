import FoundationEssentials

/// A JSON value written as literals, so that each key is written once, beside its value.
enum JSON: Encodable, Equatable, Sendable {
    case text(String)
    case integer(Int)
    case number(Double)
    case array([JSON])
    case object([String: JSON])

    /// Returns an object of the members that are not `nil`.
    static func object(present members: [String: JSON?]) -> JSON { .object(members.compactMapValues(\.self)) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}

extension Encodable {
    /// Returns its JSON: the same bytes for the same value.
    func jsonBytes() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }
}

extension JSON: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByDictionaryLiteral {
    init(stringLiteral value: String) { self = .text(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(dictionaryLiteral members: (String, JSON)...) { self = .object(Dictionary(uniqueKeysWithValues: members)) }
}
