package import Foundation

/// JSON as the program gives it out, on standard output and over HTTP: keys sorted and in snake case, slashes bare.
package enum JSONText {
    /// Encodes a value of ours on one line.
    package static func line(_ value: some Encodable) -> String { String(decoding: self.data(value), as: UTF8.self) }

    /// Encodes a value of ours over several lines, indented.
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
            // Only numbers that are not finite cannot be encoded, and none is among our values.
            preconditionFailure("output cannot be encoded as JSON: \(error)")
        }
    }
}

/// What is written as `null` where there is nothing, so that readers need not test for presence.
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
extension Nullable: Equatable where Value: Equatable {}
extension Nullable: Hashable where Value: Hashable {}
