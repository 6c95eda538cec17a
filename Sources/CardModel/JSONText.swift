package import Foundation

/// JSON as the program writes it, on standard output and over HTTP: keys sorted and in snake case, slashes unescaped.
package enum JSONText {
    /// Encodes a value on one line.
    package static func line(_ value: some Encodable) -> String { String(decoding: self.data(value), as: UTF8.self) }

    /// Encodes a value over several lines, indented.
    package static func document(_ value: some Encodable) -> String {
        String(decoding: self.data(value, isIndented: true), as: UTF8.self)
    }

    package static func data(_ value: some Encodable, isIndented: Bool = false) -> Data {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isIndented { encoder.outputFormatting.insert(.prettyPrinted) }
        do {
            return try encoder.encode(value)
        } catch {
            // Encoding fails only for numbers that are not finite, and our values have none.
            preconditionFailure("output cannot be encoded as JSON: \(error)")
        }
    }
}

/// An optional value that is written as `null`, so that readers need not test for presence.
@propertyWrapper
package struct Nullable<Value: Encodable>: Encodable {
    package var wrappedValue: Value?

    package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.wrappedValue)
    }
}

extension Nullable: Sendable where Value: Sendable {}
extension Nullable: Equatable, Hashable where Value: Hashable {}
