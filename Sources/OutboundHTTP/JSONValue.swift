package import Foundation
import IDCardCore

/// A JSON value of any shape, for replies whose fields change type between deployments: a number here is a numeric
/// string there.
package enum JSONValue: Hashable, Sendable, Decodable {
    /// An object.
    case object([String: JSONValue])
    /// An array.
    case array([JSONValue])
    /// A string.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    /// `true` or `false`.
    case boolean(Bool)
    /// `null`.
    case null

    /// Reads a document; `nil` if the bytes are not one JSON value.
    package init?(parsing data: Data) {
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: data)
        } catch {
            // The decoder's error quotes the document, which is personal data: it goes no further than "not JSON".
            return nil
        }
    }

    /// Takes whatever value comes; `JSONDecoder` bounds the nesting.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([String: JSONValue].self) {
            self = .object(value)
        } else {
            self = .array(try container.decode([JSONValue].self))
        }
    }
}

extension JSONValue {
    /// The members of an object; `nil` for other values.
    package var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The text of a string or a number, trimmed; `nil` for other values and if nothing is left.
    package var text: String? {
        let text: String
        switch self {
        case .string(let value): text = value.trimmed
        case .integer(let value): text = String(value)
        case .number(let value): text = String(value)
        default: return nil
        }
        return text.isEmpty ? nil : text
    }

    /// The value of a number or a numeric string; `nil` for other values and for what is not finite.
    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .string(let value): Double(value.trimmed).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }
}

extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind only: replies hold personal data.
    package var description: String {
        switch self {
        case .object: "JSON object"
        case .array: "JSON array"
        case .string: "JSON string"
        case .integer, .number: "JSON number"
        case .boolean: "JSON boolean"
        case .null: "JSON null"
        }
    }

    /// The same as ``description``.
    package var debugDescription: String { self.description }
    /// A mirror without the value.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
